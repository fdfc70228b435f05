/**
 * A jointed person of lathed limbs. The outline matters more than the face: shoulders, neck, tapered limbs with knees and
 * elbows are the gradients that a people detector has learnt.
 */
import * as THREE from 'three'
import { material, roundedBox, solid, texture } from './kit.ts'
import type { Outfit } from './outfit.ts'

/** The model's own height; others are scaled. */
export const modelHeight = 1.75

type Limb = { upper: THREE.Group; lower: THREE.Group }
type Leg = Limb & { foot: THREE.Group }

export type Person = {
  group: THREE.Group
  outfit: Outfit
  body: THREE.Group
  chest: THREE.Group
  head: THREE.Group
  /** Left, right. */
  arms: Limb[]
  legs: Leg[]
  /** Points of the surface, for the box around the whole body. */
  outline: { mesh: THREE.Mesh; point: THREE.Vector3 }[]
}

/** Marks the soft shadow below the feet, which is no part of the body. */
export const contactShadow = 'contact shadow'

export function createPerson(outfit: Outfit): Person {
  const group = new THREE.Group()
  group.scale.setScalar((outfit.height ?? modelHeight) / modelHeight)
  const body = new THREE.Group()
  group.add(body)
  const chest = new THREE.Group()
  chest.position.y = 0.1
  const cloth = {
    top: material(outfit.top),
    trousers: material(outfit.trousers),
    skin: material(outfit.skin ?? '#b98a68', { roughness: 0.6 }),
    hair: material(outfit.hair ?? '#2a1d16'),
    shoes: material(outfit.shoes ?? '#17171a', { roughness: 0.5 }),
  }
  addHips(body, outfit, cloth)
  body.add(chest)
  addTrunk(chest, body, outfit, cloth)
  const head = addHead(chest, outfit, cloth)
  const arms = [-1, 1].map((side) => addArm(chest, side, outfit, cloth))
  if (outfit.backpack) {
    const pack = roundedBox(chest, [0.28, 0.42, 0.16], [0, 0.03, -0.19], outfit.backpack, {}, 0.06)
    pack.rotation.x = 0.04
  }
  const legs = [-1, 1].map((side) => addLeg(body, side, outfit, cloth))
  addContactShadow(group)
  return { group, outfit, body, chest, head, arms, legs, outline: outlineOf(group) }
}

type Cloth = Record<'top' | 'trousers' | 'skin' | 'hair' | 'shoes', THREE.MeshStandardMaterial>

function add(
  parent: THREE.Object3D,
  geometry: THREE.BufferGeometry,
  surface: THREE.Material,
  at: [number, number, number] = [0, 0, 0],
): THREE.Mesh {
  const mesh = solid(geometry, surface)
  mesh.position.set(...at)
  parent.add(mesh)
  return mesh
}

/** A body of revolution from radius and height pairs, bottom first. */
const lathe = (profile: [radius: number, y: number][], segments = 20): THREE.LatheGeometry =>
  new THREE.LatheGeometry(
    profile.map(([radius, y]) => new THREE.Vector2(radius, y)),
    segments,
  )

/** Hangs down from its joint at the origin. */
function limb(above: number, below: number, length: number): THREE.LatheGeometry {
  return lathe(
    [
      [0.001, -length - 0.025],
      [below * 0.7, -length - 0.015],
      [below, -length + 0.02],
      [((above + below) / 2) * 1.04, -length * 0.45],
      [above, -0.03],
      [above * 0.8, 0.012],
      [0.001, 0.02],
    ],
    14,
  )
}

/** Cut across: a body is less deep than wide. */
function flatten(mesh: THREE.Mesh, depth: number): void {
  mesh.scale.z = depth
}

function addHips(body: THREE.Group, { coat }: Outfit, cloth: Cloth): void {
  const hips = lathe([
    [0.001, -0.1],
    [0.12, -0.09],
    [0.168, 0],
    [0.158, 0.1],
    [0.14, 0.14],
  ])
  flatten(add(body, hips, coat ? cloth.top : cloth.trousers), 0.7)
}

function addTrunk(chest: THREE.Group, body: THREE.Group, { vest, coat, skirt, ...outfit }: Outfit, cloth: Cloth): void {
  const trunk = lathe([
    [0.001, -0.02],
    [0.152, -0.015],
    [0.146, 0.08],
    [0.158, 0.2],
    [0.182, 0.34],
    [0.186, 0.41],
    [0.15, 0.47],
    [0.075, 0.505],
    [0.05, 0.53],
  ])
  flatten(add(chest, trunk, vest ? material(vest, { emissive: vest, emissiveIntensity: 0.18 }) : cloth.top), 0.66)
  if (vest) {
    const band = { emissive: '#9aa2a6', emissiveIntensity: 0.35, roughness: 0.4 }
    for (const y of [0.14, 0.3])
      flatten(
        add(chest, new THREE.CylinderGeometry(0.183, 0.17, 0.045, 20, 1, true), material('#dfe4e6', band), [0, y, 0]),
        0.69,
      )
  }
  if (coat) {
    const tails = lathe([
      [0.2, -0.34],
      [0.185, -0.15],
      [0.165, 0.08],
      [0.155, 0.14],
    ])
    flatten(add(body, tails, material(outfit.top, { side: THREE.DoubleSide })), 0.78)
  }
  if (skirt) {
    const hem = lathe([
      [0.215, -0.36],
      [0.19, -0.15],
      [0.165, 0.06],
    ])
    flatten(add(body, hem, material(outfit.trousers, { side: THREE.DoubleSide })), 0.8)
  }
  for (const side of [-1, 1]) add(chest, new THREE.SphereGeometry(0.072, 14, 10), cloth.top, [side * 0.172, 0.415, 0])
  add(chest, new THREE.CylinderGeometry(0.05, 0.056, 0.12, 12), cloth.skin, [0, 0.54, 0.005])
}

function addHead(chest: THREE.Group, { helmet, longHair }: Outfit, cloth: Cloth): THREE.Group {
  const head = new THREE.Group()
  head.position.set(0, 0.665, 0.015)
  chest.add(head)
  add(head, new THREE.SphereGeometry(0.1, 20, 16), cloth.skin).scale.set(0.86, 1.16, 0.98)
  add(head, new THREE.SphereGeometry(0.018, 8, 6), cloth.skin, [0, -0.012, 0.098])
  if (helmet) {
    const shell = () => material(helmet, { roughness: 0.35 })
    const dome = new THREE.SphereGeometry(0.122, 20, 12, 0, 7, 0, Math.PI / 2)
    add(head, dome, shell(), [0, 0.03, 0]).scale.set(0.95, 1, 1.08)
    flatten(add(head, new THREE.CylinderGeometry(0.135, 0.135, 0.012, 20), shell(), [0, 0.03, 0.02]), 1.08)
    return head
  }
  const cap = new THREE.SphereGeometry(0.107, 20, 14, 0, 7, 0, Math.PI * 0.52)
  const hair = add(head, cap, cloth.hair, [0, 0.022, -0.014])
  hair.scale.set(0.92, 1.08, 1.02)
  hair.rotation.x = -0.35
  if (longHair)
    add(head, new THREE.CapsuleGeometry(0.078, 0.16, 6, 12), cloth.hair, [0, -0.09, -0.05]).scale.set(1.1, 1, 0.62)
  return head
}

function addArm(chest: THREE.Group, side: number, { sleeves = true, bag }: Outfit, cloth: Cloth): Limb {
  const upper = new THREE.Group()
  upper.position.set(side * 0.206, 0.42, 0)
  chest.add(upper)
  add(upper, limb(0.058, 0.046, 0.29), cloth.top)
  const lower = new THREE.Group()
  lower.position.y = -0.28
  upper.add(lower)
  add(lower, limb(0.045, 0.034, 0.25), sleeves ? cloth.top : cloth.skin)
  add(lower, new THREE.SphereGeometry(0.045, 12, 10), cloth.skin, [0, -0.29, 0.008]).scale.set(0.72, 1.25, 0.85)
  if (bag?.side === side) roundedBox(lower, [0.1, 0.28, 0.36], [0, -0.6, 0], bag.color, { roughness: 0.6 }, 0.03)
  return { upper, lower }
}

function addLeg(body: THREE.Group, side: number, { skirt }: Outfit, cloth: Cloth): Leg {
  const surface = skirt ? cloth.skin : cloth.trousers
  const upper = new THREE.Group()
  upper.position.set(side * 0.088, 0, 0)
  body.add(upper)
  add(upper, limb(0.092, 0.064, legPart), surface)
  const lower = new THREE.Group()
  lower.position.y = -legPart
  upper.add(lower)
  add(lower, limb(0.063, 0.046, legPart), surface)
  const foot = new THREE.Group()
  foot.position.y = -legPart
  lower.add(foot)
  roundedBox(foot, [0.1, 0.085, 0.27], [0, -0.065, 0.055], cloth.shoes, {}, 0.035)
  return { upper, lower, foot }
}

/** Length of thigh and of shank. */
const legPart = 0.42
/** From ankle to sole. */
const ankleHeight = 0.105

function addContactShadow(group: THREE.Group): void {
  const map = texture({
    pixels: [128, 128],
    paint: (canvas, width, height) => {
      const gradient = canvas.createRadialGradient(width / 2, height / 2, 0, width / 2, height / 2, width / 2)
      gradient.addColorStop(0, 'rgba(0,0,0,.55)')
      gradient.addColorStop(0.5, 'rgba(0,0,0,.25)')
      gradient.addColorStop(1, 'rgba(0,0,0,0)')
      canvas.fillStyle = gradient
      canvas.fillRect(0, 0, width, height)
    },
  })
  const shadow = new THREE.Mesh(
    new THREE.PlaneGeometry(0.95, 0.8),
    new THREE.MeshBasicMaterial({ map, transparent: true, depthWrite: false }),
  )
  shadow.name = contactShadow
  shadow.rotation.x = -Math.PI / 2
  shadow.position.y = 0.006
  group.add(shadow)
}

function outlineOf(group: THREE.Group): Person['outline'] {
  const outline: Person['outline'] = []
  group.traverse((mesh) => {
    if (!(mesh instanceof THREE.Mesh) || mesh.name === contactShadow) return
    const positions: THREE.BufferAttribute = mesh.geometry.attributes.position
    const step = Math.max(1, Math.floor(positions.count / 70))
    for (let i = 0; i < positions.count; i += step)
      outline.push({ mesh, point: new THREE.Vector3().fromBufferAttribute(positions, i) })
  })
  return outline
}

export type Gait = {
  /** Where in the step, radians. */
  phase: number
  /** 0 stands, 1 walks at full speed. */
  vigour: number
  /** Sets people who stand apart from each other. */
  character: number
}

/** Puts the joints where they are at second `t`. */
export function pose(person: Person, { phase, vigour, character }: Gait, t: number): void {
  const { body, chest, head, arms, legs, outfit } = person
  const rest = 1 - vigour
  const reaches = legs.map(({ upper, lower, foot }, i) => {
    const step = phase + (i ? Math.PI : 0)
    const thigh = vigour * (0.46 * Math.sin(step) + 0.04)
    const knee = vigour * (0.12 + 0.85 * Math.max(0, Math.cos(step)) ** 1.4) + 0.03
    upper.rotation.x = -thigh
    lower.rotation.x = knee
    foot.rotation.x = thigh - knee + vigour * 0.35 * Math.max(0, -Math.sin(step)) * Math.max(0, Math.cos(step))
    return legPart * Math.cos(thigh) + legPart * Math.cos(thigh - knee) + ankleHeight
  })
  // The longer leg stands on the ground.
  body.position.y = Math.max(...reaches) + 0.005
  body.position.x = vigour * 0.018 * Math.cos(phase) + rest * 0.02 * Math.sin(t * 0.9 + character)
  chest.rotation.y = vigour * -0.1 * Math.sin(phase) + rest * 0.16 * Math.sin(t * 0.7 + character)
  chest.rotation.x = 0.03 + vigour * 0.03
  head.rotation.y = -chest.rotation.y * 0.8 + rest * 0.45 * Math.sin(t * 0.8 + character * 2)
  arms.forEach(({ upper, lower }, i) => {
    const side = i ? 1 : -1
    const swing = Math.sin(phase + (i ? 0 : Math.PI))
    const freedom = outfit.bag?.side === side ? 0.25 : 1
    const lifted = outfit.phone && i === 1 ? rest : 0
    upper.rotation.x = -vigour * 0.5 * swing * freedom + rest * 0.05 * Math.sin(t * 1.1 + character + i) - lifted * 0.55
    lower.rotation.x = -(0.12 + vigour * (0.22 + 0.2 * Math.max(0, swing)) * freedom) - rest * 0.12 - lifted * 1.5
    upper.rotation.z = side * 0.085
  })
}
