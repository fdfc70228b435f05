/** Sets a scene up in the page and renders its frames: each is a function of the second and the seed alone. */
import * as THREE from 'three'
import type { Truth, TruthPerson } from '../../src/truth.ts'
import { corridor } from './corridor.ts'
import { type Random, seededRandom } from './kit.ts'
import { lobby } from './lobby.ts'
import { type Cast, createSurveyor, toPixels } from './measure.ts'
import { createPerson, modelHeight, pose } from './person.ts'
import type { SceneSet } from './set.ts'
import { walker } from './walk.ts'
import { warehouse } from './warehouse.ts'

const sets: Record<string, (random: Random) => SceneSet> = { lobby, warehouse, corridor }

export type StageInfo = { seconds: number } & Pick<Truth, 'line' | 'zone' | 'people'>
export type StageFrame = {
  /** Base64. */
  jpeg: string
  people: TruthPerson[]
}
export type Stage = {
  info: StageInfo
  /** @param quality of the JPEG, 0…1 */
  frame(second: number, quality?: number): StageFrame
}

export function createStage(name: string, width: number, height: number, seed: number): Stage {
  const build = sets[name]
  if (!build) throw new Error(`There is no scene ${name}`)
  const set = build(seededRandom(seed + name.length * 31))
  const renderer = createRenderer(set, width, height)
  light(set)
  const camera = createCamera(set, width / height)
  const cast = set.people.map((walk, i) => createActor(walk, i))
  for (const { person } of cast) set.scene.add(person.group)
  const surveyor = createSurveyor({ set, renderer, camera, cast, width, height })
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const drawing = canvas.getContext('2d') as CanvasRenderingContext2D
  /** The empty set is the same picture each time. */
  let empty: string | null = null

  const shoot = (quality: number): string => {
    renderer.render(set.scene, camera)
    drawing.imageSmoothingQuality = 'high'
    drawing.drawImage(renderer.domElement, 0, 0, width, height)
    return canvas.toDataURL('image/jpeg', quality).split(',')[1] as string
  }
  return {
    info: { seconds: set.seconds, ...marks(set, camera, width, height), people: cast.map(describe) },
    frame(second, quality = 0.92) {
      for (const actor of cast) direct(actor, second, set.seconds)
      const people = cast.some(({ moment }) => moment) ? surveyor.survey() : []
      if (cast.some(({ moment }) => moment)) return { jpeg: shoot(quality), people }
      empty ??= shoot(quality)
      return { jpeg: empty, people }
    },
  }
}

function createRenderer({ light: { exposure } }: SceneSet, width: number, height: number): THREE.WebGLRenderer {
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true })
  renderer.setSize(width, height, false)
  renderer.shadowMap.enabled = true
  renderer.shadowMap.type = THREE.PCFSoftShadowMap
  renderer.toneMapping = THREE.ACESFilmicToneMapping
  renderer.toneMappingExposure = exposure
  return renderer
}

function light({ scene, light: { sky, sun } }: SceneSet): void {
  scene.add(new THREE.HemisphereLight('#e6edf5', '#8b857c', sky))
  if (!sun) return
  const source = new THREE.DirectionalLight('#fff4e2', sun.strength)
  source.position.set(...sun.from)
  source.castShadow = true
  source.shadow.mapSize.set(1024, 1024)
  Object.assign(source.shadow.camera, { left: -11, right: 11, top: 11, bottom: -11, far: 40 })
  source.shadow.bias = -0.0008
  source.shadow.normalBias = 0.02
  source.shadow.radius = 5
  source.target.position.set(0, 0, -3)
  scene.add(source, source.target)
}

function createCamera({ camera: { at, toward, fieldOfView } }: SceneSet, aspect: number): THREE.PerspectiveCamera {
  const camera = new THREE.PerspectiveCamera(fieldOfView, aspect, 0.1, 120)
  camera.position.set(...at)
  camera.lookAt(...toward)
  camera.updateMatrixWorld()
  return camera
}

function createActor({ outfit, ...walk }: SceneSet['people'][number], index: number): Cast[number] {
  const person = createPerson(outfit)
  person.group.visible = false
  return {
    id: index + 1,
    person,
    start: walk.start,
    at: walker(walk, outfit.height ?? modelHeight),
    character: index * 1.7,
    moment: null,
  }
}

const describe = ({ id, person: { outfit } }: Cast[number]): Truth['people'][number] => ({
  id,
  height: outfit.height ?? modelHeight,
  wears: outfit.vest ? 'hi-vis' : outfit.top,
})

/** Puts an actor where it is at that second of the loop; who is on the way when the loop ends walks on at its start. */
function direct(actor: Cast[number], second: number, loopSeconds: number): void {
  const since = (((second - actor.start) % loopSeconds) + loopSeconds) % loopSeconds
  actor.moment = actor.at(since)
  const { group } = actor.person
  group.visible = actor.moment !== null
  if (!actor.moment) return
  const { x, z, heading, phase, vigour } = actor.moment
  group.position.set(x, 0, z)
  group.rotation.y = heading
  pose(actor.person, { phase, vigour, character: actor.character }, second)
  group.updateMatrixWorld(true)
}

/** Line and zone as they lie in the picture. */
function marks({ line, zone }: SceneSet, camera: THREE.Camera, width: number, height: number) {
  const pixel = ([x, z]: [number, number]) => toPixels(camera, x, z, width, height)
  const found: Pick<Truth, 'line' | 'zone'> = {}
  if (line) {
    const [a, b] = [pixel(line.a), pixel(line.b)]
    const inside = pixel([(line.a[0] + line.b[0]) / 2, line.a[1] + 1])
    const cross = (b[0] - a[0]) * (inside[1] - a[1]) - (b[1] - a[1]) * (inside[0] - a[0])
    found.line = { name: line.name, a, b, insideSign: cross > 0 ? 1 : -1 }
  }
  if (zone) found.zone = { name: zone.name, points: zone.points.map(pixel) }
  return found
}
