/** The truth about a frame: where each person is in the picture, how much of them can be seen, and where they stand. */
import { insidePolygon } from '@sightline/domain'
import * as THREE from 'three'
import type { Pixel, TruthPerson } from '../../src/truth.ts'
import { contactShadow, type Person } from './person.ts'
import type { SceneSet } from './set.ts'
import type { Moment } from './walk.ts'

export type Cast = {
  id: number
  person: Person
  start: number
  at(t: number): Moment | null
  character: number
  /** Where it is in the present frame; null when it is not there. */
  moment: Moment | null
}[]

/** A person is ignored when less of the body than this is inside the picture or visible, or when it is smaller than this. */
const leastInside = 0.7
const leastVisible = 0.35
const leastHeight = 40
/** Below this share of the body nothing can be seen of it. */
const leastTrace = 0.03
const partlyHidden = 0.75
/** Colours that tell the people apart in the measuring pass; 0 is everything else. */
const identities = 16

export type Surveyor = { survey(): TruthPerson[] }

export function createSurveyor(stage: {
  set: SceneSet
  renderer: THREE.WebGLRenderer
  camera: THREE.PerspectiveCamera
  cast: Cast
  width: number
  height: number
}): Surveyor {
  const { set, camera, cast, width, height } = stage
  const count = createCounter(stage)
  return {
    survey() {
      /** Pixels of each person with everything in its place; measured once somebody needs it. */
      let seen: number[] | null = null
      return cast.flatMap((actor) => {
        const { moment } = actor
        const frame = moment && boxOf(actor.person, camera, width, height)
        if (!moment || !frame) return []
        const insideShare = frame.insideArea / (frame.box[2] * frame.box[3])
        seen ??= count(({ owner, isTransparent }) => owner ?? (isTransparent ? null : 0))
        const alone = count(({ owner }) => (owner === actor.id ? owner : null))[actor.id] ?? 0
        const visible = alone ? Math.min(1, (seen[actor.id] ?? 0) / alone) : 0
        if (visible * insideShare < leastTrace) return []
        return [
          {
            id: actor.id,
            box: frame.box.map(tenth) as TruthPerson['box'],
            foot: toPixels(camera, moment.x, moment.z, width, height),
            f: flagOf(insideShare, visible, frame.box[3]),
            visible: Number(visible.toFixed(2)),
            moving: moment.vigour > 0.3,
            ...place(set, moment),
          },
        ]
      })
    },
  }
}

const tenth = (value: number): number => Number(value.toFixed(1))

function flagOf(insideShare: number, visible: number, boxHeight: number): TruthPerson['f'] {
  if (insideShare < leastInside || visible < leastVisible || boxHeight < leastHeight) return 'i'
  return visible < partlyHidden ? 'o' : ''
}

function place({ line, zone }: SceneSet, { x, z }: Moment): Pick<TruthPerson, 'side' | 'inZone'> {
  return {
    ...(line && { side: z > line.a[1] ? 'inside' : 'outside' }),
    ...(zone && { inZone: insidePolygon(zone.points, [x, z]) }),
  }
}

/** A point of the floor in the picture. */
export function toPixels(camera: THREE.Camera, x: number, z: number, width: number, height: number): Pixel {
  const point = new THREE.Vector3(x, 0, z).project(camera)
  return [tenth((point.x * 0.5 + 0.5) * width), tenth((0.5 - point.y * 0.5) * height)]
}

/** The box around the whole body; null behind the camera or outside the picture. */
function boxOf({ outline }: Person, camera: THREE.PerspectiveCamera, width: number, height: number) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  const nearest = -0.2
  for (const { mesh, point } of outline) {
    const at = point.clone().applyMatrix4(mesh.matrixWorld)
    if (at.clone().applyMatrix4(camera.matrixWorldInverse).z > nearest) return null
    at.project(camera)
    const x = (at.x * 0.5 + 0.5) * width
    const y = (0.5 - at.y * 0.5) * height
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  const insideWidth = Math.min(width, right) - Math.max(0, left)
  const insideHeight = Math.min(height, bottom) - Math.max(0, top)
  if (insideWidth <= 2 || insideHeight <= 2) return null
  return { box: [left, top, right - left, bottom - top] as const, insideArea: insideWidth * insideHeight }
}

type Part = { mesh: THREE.Mesh; owner: number | null; isTransparent: boolean }

/** Counts pixels in a flat-coloured picture of half the size. */
function createCounter({
  set,
  renderer,
  camera,
  cast,
  width,
  height,
}: Parameters<typeof createSurveyor>[0]): (identityOf: (part: Part) => number | null) => number[] {
  const [w, h] = [width / 2, height / 2]
  const target = new THREE.WebGLRenderTarget(w, h)
  const pixels = new Uint8Array(w * h * 4)
  const colors = Array.from({ length: identities }, (_, i) => {
    const color = new THREE.Color().setRGB(i / (identities - 1), 0, 0, THREE.LinearSRGBColorSpace)
    return new THREE.MeshBasicMaterial({ color })
  })
  const parts = partsOf(set.scene, cast)

  /** @param identityOf who a part belongs to; null leaves it out */
  return (identityOf) => {
    const { background, fog } = set.scene
    const restore = parts.map(({ mesh }) => ({ mesh, material: mesh.material, visible: mesh.visible }))
    for (const part of parts) {
      const identity = identityOf(part)
      const color = identity === null ? undefined : colors[identity]
      if (color) part.mesh.material = color
      else part.mesh.visible = false
    }
    set.scene.background = null
    set.scene.fog = null
    renderer.shadowMap.autoUpdate = false
    renderer.setClearColor(0, 1)
    renderer.setRenderTarget(target)
    renderer.clear()
    renderer.render(set.scene, camera)
    renderer.readRenderTargetPixels(target, 0, 0, w, h, pixels)
    renderer.setRenderTarget(null)
    renderer.shadowMap.autoUpdate = true
    set.scene.background = background
    set.scene.fog = fog
    for (const { mesh, material, visible } of restore) Object.assign(mesh, { material, visible })

    const counts = new Array<number>(identities).fill(0)
    const step = 255 / (identities - 1)
    for (let i = 0; i < pixels.length; i += 4) {
      const identity = Math.round((pixels[i] as number) / step)
      counts[identity] = (counts[identity] as number) + 1
    }
    return counts
  }
}

/** All meshes, with whose body they are part of. Contact shadows are transparent, and nobody's. */
function partsOf(scene: THREE.Scene, cast: Cast): Part[] {
  const owners = new Map<THREE.Object3D, number>()
  for (const { id, person } of cast) person.group.traverse((part) => owners.set(part, id))
  const parts: Part[] = []
  scene.traverse((mesh) => {
    if (!(mesh instanceof THREE.Mesh)) return
    const owner = mesh.name === contactShadow ? null : (owners.get(mesh) ?? null)
    parts.push({ mesh, owner, isTransparent: mesh.material.transparent })
  })
  return parts
}
