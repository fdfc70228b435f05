/** Things that stand about in more than one place. */
import * as THREE from 'three'
import { box, material, type Random, solid } from './kit.ts'

type Parent = THREE.Object3D

const pick = (random: Random, colors: string[]): string => colors[Math.floor(random() * colors.length)] as string

export function plant(parent: Parent, random: Random, x: number, z: number, size: number): void {
  const pot = solid(new THREE.CylinderGeometry(0.26 * size, 0.2 * size, 0.5 * size, 18), material('#4a4d52'))
  pot.position.set(x, 0.25 * size, z)
  parent.add(pot)
  for (let i = 0; i < 26; i++) {
    const turn = random() * 6.28
    const rise = 0.35 + random() * 0.9
    const length = (0.55 + random() * 0.5) * size
    const leaf = solid(new THREE.SphereGeometry(1, 6, 5), material(pick(random, ['#3e6a38', '#4f7d42', '#335a30'])))
    leaf.scale.set(0.07 * size, length / 2, 0.02 * size)
    leaf.position.set(
      x + Math.sin(turn) * Math.cos(rise) * length * 0.5,
      0.5 * size + Math.sin(rise) * length * 0.55,
      z + Math.cos(turn) * Math.cos(rise) * length * 0.5,
    )
    leaf.rotation.set(0, turn, 0)
    leaf.rotateX(Math.PI / 2 - rise)
    parent.add(leaf)
  }
}

const bayLength = 2.7
const shelfDepth = 1.1
const shelfHeights = [0.12, 1.55, 3.0, 4.4]

/** A pallet rack along z, from `front` away from the camera, with goods on most places. */
export function rack(parent: Parent, random: Random, x: number, front: number, bays: number): void {
  const sides = [-shelfDepth / 2, shelfDepth / 2]
  for (let bay = 0; bay <= bays; bay++)
    for (const side of sides)
      box(parent, [0.09, 5.6, 0.09], [x + side, 0, front - bay * bayLength], '#2f568f', { roughness: 0.5 })
  for (let bay = 0; bay < bays; bay++)
    for (const y of shelfHeights) {
      const middle = front - (bay + 0.5) * bayLength
      for (const side of sides)
        box(parent, [0.05, 0.12, bayLength], [x + side, y, middle], '#c96a25', { roughness: 0.55 })
      box(parent, [shelfDepth - 0.1, 0.03, bayLength], [x, y + 0.1, middle], '#8f8a80')
      for (const place of [0.27, 0.27 + 0.47])
        if (random() > 0.12) goods(parent, random, x, y, front - (bay + place) * bayLength)
    }
}

/** A pallet with one large carton or four small ones. */
function goods(parent: Parent, random: Random, x: number, y: number, z: number): void {
  const height = 0.65 + random() * 0.5
  box(parent, [1.0, 0.12, 1.0], [x, y + 0.13, z], '#8a6a42')
  if (random() > 0.35) {
    const color = pick(random, ['#a98557', '#b98f60', '#9c774c', '#8b949b', '#c6bda9'])
    box(parent, [0.92, height, 0.95], [x, y + 0.25, z], color)
    return
  }
  for (let i = 0; i < 4; i++) {
    const small = height * (0.6 + random() * 0.35)
    const color = pick(random, ['#a98557', '#b98f60', '#c7a272'])
    box(parent, [0.44, small, 0.45], [x + (i % 2 ? 0.23 : -0.23), y + 0.25, z + (i > 1 ? 0.24 : -0.24)], color)
  }
}

/** Cartons on a pallet, one on the other. */
export function stack(parent: Parent, x: number, z: number, turn: number, cartons: number): void {
  const group = new THREE.Group()
  box(group, [1.1, 0.13, 1.0], [0, 0, 0], '#8a6a42')
  for (let i = 0; i < cartons; i++)
    box(group, [1.0 - i * 0.06, 0.5, 0.9 - i * 0.05], [0, 0.13 + i * 0.5, 0], i % 2 ? '#a37d50' : '#b0895a')
  group.position.set(x, 0, z)
  group.rotation.y = turn
  parent.add(group)
}

export function cone(parent: Parent, x: number, z: number): void {
  const made = solid(new THREE.ConeGeometry(0.16, 0.55, 16), material('#d8571d'))
  made.position.set(x, 0.28, z)
  parent.add(made)
}

/** A tube in the ceiling with the light that it gives. */
export function ceilingLamp(
  parent: Parent,
  {
    size,
    y,
    z,
    glow,
    light,
  }: {
    size: [number, number, number]
    y: number
    z: number
    glow: { color: string; intensity: number }
    light: { color: string; intensity: number; reach: number; decay: number; y: number }
  },
): void {
  const tube = box(parent, size, [0, y, z], '#fff', { emissive: glow.color, emissiveIntensity: glow.intensity })
  tube.castShadow = false
  const source = new THREE.PointLight(light.color, light.intensity, light.reach, light.decay)
  source.position.set(0, light.y, z)
  parent.add(source)
}
