import * as THREE from 'three'
import { plant } from './furniture.ts'
import { box, fill, ground, plaster, type Random, roundedBox, speckle, texture, tiles } from './kit.ts'
import { outfits } from './outfit.ts'
import type { SceneSet } from './set.ts'

/** A reception hall seen from its corner; open doors at the back, the line across the floor inside them. */
export function lobby(random: Random): SceneSet {
  const scene = new THREE.Scene()
  scene.background = new THREE.Color('#b9c6d0')
  addFloors(scene, random)
  addWalls(scene, random)
  addStreet(scene)
  addReception(scene)
  plant(scene, random, -3.0, -5.3, 1.15)
  plant(scene, random, 3.0, -5.3, 1.15)
  plant(scene, random, 6.0, -3.3, 1.0)
  addPictures(scene)
  for (const [x, z] of [
    [-4, -4],
    [0, -4],
    [0, 0],
    [0, 4],
    [4, -4],
  ] as const) {
    const lamp = new THREE.PointLight('#fff1dc', 6, 9, 1.6)
    lamp.position.set(x, 3.7, z)
    scene.add(lamp)
  }
  return {
    scene,
    camera: { at: [1.5, 2.6, 3.9], toward: [-0.1, 0.82, -3.4], fieldOfView: 41 },
    light: { sky: 1.45, sun: { from: [-6, 11, 7], strength: 1.5 }, exposure: 1.12 },
    seconds: 54,
    line: { name: 'entrance', a: [-2.7, -3.7], b: [2.7, -3.7] },
    people,
  }
}

function addFloors(scene: THREE.Scene, random: Random): void {
  const indoors = tiles(random, '#b3aea6', 'rgba(95,90,82,.35)', 8)
  ground(scene, [22, 22], [0, 0, 0], { paint: indoors, pixels: [1024, 1024], repeat: [2.2, 2.2] }, { roughness: 0.55 })
  ground(
    scene,
    [40, 18],
    [0, -0.01, -15],
    {
      repeat: [6, 3],
      paint: (canvas, width, height) => {
        fill(canvas, '#c3c2bd', width, height)
        speckle(random, 9000, 0.05)(canvas, width, height)
      },
    },
    { emissive: '#8f938f', emissiveIntensity: 0.35 },
  )
}

function addWalls(scene: THREE.Scene, random: Random): void {
  const map = texture({ paint: plaster(random, '#d9d4cb'), repeat: [2, 1] })
  const wall = new THREE.MeshStandardMaterial({ map, roughness: 0.9 })
  box(scene, [7.4, 5.6, 0.25], [-5.9, 0, -6], wall)
  box(scene, [7.4, 5.6, 0.25], [5.9, 0, -6], wall)
  box(scene, [4.4, 2.9, 0.25], [0, 2.7, -6], wall)
  for (const x of [-2.15, 2.15]) box(scene, [0.14, 2.75, 0.34], [x, 0, -6], '#3a3f45')
  box(scene, [4.5, 0.16, 0.34], [0, 2.62, -6], '#3a3f45')
  // The door mat is light: a dark one behind dark trousers would cut the silhouette in two.
  ground(scene, [3.2, 1.7], [0, 0.004, -5.0], {
    paint: (canvas, width, height) => {
      fill(canvas, '#8f897d', width, height)
      speckle(random, 6000, 0.1, 2)(canvas, width, height)
    },
  })
  box(scene, [0.25, 5.6, 20], [-6.6, 0, 2], wall)
  box(scene, [0.25, 5.6, 20], [6.6, 0, 2], wall)
  box(scene, [4.35, 0.12, 0.05], [-4.4, 0, -5.86], '#8d877c')
  box(scene, [4.35, 0.12, 0.05], [4.4, 0, -5.86], '#8d877c')
}

/** The house across, through the doors. */
function addStreet(scene: THREE.Scene): void {
  box(scene, [34, 7, 1], [0, -0.2, -17], '#d3cdc2', { emissive: '#a5a29a', emissiveIntensity: 0.4 })
  const glass = { roughness: 0.2, emissive: '#6f8591', emissiveIntensity: 0.3 }
  for (let i = -4; i <= 4; i++) box(scene, [1.3, 1.6, 0.1], [i * 2.6 + 0.7, 2.6, -16.46], '#93a3ae', glass)
}

/** Desk with a screen, sofa, table. */
function addReception(scene: THREE.Scene): void {
  roundedBox(scene, [3.4, 1.05, 0.8], [-4.4, 0, -2.6], '#6f5238', { roughness: 0.5 })
  box(scene, [3.6, 0.06, 0.95], [-4.4, 1.05, -2.6], '#2b2c30', { roughness: 0.3 })
  box(scene, [0.55, 0.36, 0.04], [-4.9, 1.2, -2.7], '#17191c')
  box(scene, [0.06, 0.12, 0.06], [-4.9, 1.1, -2.7], '#17191c')
  roundedBox(scene, [0.85, 0.42, 2.3], [5.75, 0, -1.2], '#41566f', {}, 0.08)
  roundedBox(scene, [0.25, 0.85, 2.3], [6.2, 0, -1.2], '#3a4d64', {}, 0.08)
  roundedBox(scene, [0.7, 0.36, 0.9], [4.5, 0, -1.2], '#74604a', { roughness: 0.4 })
}

function addPictures(scene: THREE.Scene): void {
  for (const [x, color] of [
    [-5.2, '#7c5a45'],
    [4.6, '#466078'],
  ] as const) {
    box(scene, [1.5, 1.0, 0.05], [x, 1.5, -5.84], '#2d2d2f')
    box(scene, [1.36, 0.86, 0.06], [x, 1.57, -5.83], color)
    box(scene, [0.6, 0.4, 0.065], [x + 0.2, 1.7, -5.825], '#c9b48c')
  }
}

/** Four come in, three go out, one only passes through the hall. */
const people: SceneSet['people'] = [
  {
    start: 2.5,
    path: [
      [-7, -9.4],
      [-1.6, -8.4],
      [-0.5, -6],
      [-0.5, -3.7],
      [-1.2, -1.6],
      [-3.2, -0.9],
      [-6, -0.8],
    ],
    outfit: outfits.navy,
  },
  {
    start: 6.5,
    path: [
      [7, -9.6],
      [1.8, -8.4],
      [0.8, -6],
      [0.9, -3.7],
      [1.0, -2.2],
      [-0.4, -1.4],
      [-2.6, -1.1],
      [-6, -1.4],
    ],
    outfit: { ...outfits.red, backpack: '#25282d' },
    stops: [{ at: 0.57, seconds: 2.2 }],
  },
  {
    start: 13.5,
    path: [
      [-6, -1.5],
      [-3.0, -1.6],
      [-1.4, -2.4],
      [-0.6, -3.8],
      [-0.6, -6],
      [-1.9, -8.4],
      [-7, -9.2],
    ],
    outfit: outfits.camelCoat,
    speed: 1.15,
  },
  {
    start: 19.0,
    path: [
      [6, -1.4],
      [3.2, -1.3],
      [1.3, -2.0],
      [0.6, -3.8],
      [0.6, -6],
      [2.0, -8.4],
      [7, -9.4],
    ],
    outfit: { ...outfits.suit, bag: { side: 1, color: '#2d2119' } },
    speed: 1.3,
  },
  {
    start: 24.5,
    path: [
      [-7, -9.5],
      [-1.6, -8.5],
      [-0.3, -6],
      [0.1, -3.7],
      [1.2, -1.9],
      [3.2, -1.2],
      [6, -1.0],
    ],
    outfit: outfits.plum,
    speed: 1.2,
  },
  {
    start: 29.5,
    path: [
      [6.5, -0.9],
      [3.0, -1.0],
      [0.4, -1.1],
      [-2.4, -1.0],
      [-6, -0.9],
    ],
    outfit: { ...outfits.teal, phone: true },
    speed: 1.2,
    stops: [{ at: 0.5, seconds: 2.2 }],
  },
  {
    start: 34.0,
    path: [
      [7, -9.2],
      [1.6, -8.3],
      [0.4, -6],
      [0.3, -3.7],
      [0.3, -1.6],
      [0.7, 0.4],
      [1.2, 5],
    ],
    outfit: outfits.green,
    speed: 1.3,
  },
  {
    start: 38.5,
    path: [
      [-6, -1.0],
      [-3.2, -1.1],
      [-1.4, -2.2],
      [-0.8, -3.8],
      [-0.8, -6],
      [-2.0, -8.4],
      [-7, -9.0],
    ],
    outfit: { ...outfits.skirt, bag: { side: -1, color: '#3a1f1c' } },
    speed: 1.2,
  },
]
