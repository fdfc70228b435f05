import * as THREE from 'three'
import { ceilingLamp, cone, rack, stack } from './furniture.ts'
import { box, fill, ground, type Random, roundedBox, speckle, stain, strokeLines } from './kit.ts'
import { outfits } from './outfit.ts'
import type { SceneSet } from './set.ts'

/** The floor in front of the machine that nobody may enter. */
const forbidden = { left: 0.35, right: 2.55, back: -4.1, front: -1.5 }

/** A storage aisle with a marked, forbidden area in front of a machine. */
export function warehouse(random: Random): SceneSet {
  const scene = new THREE.Scene()
  scene.background = new THREE.Color('#5d6369')
  scene.fog = new THREE.Fog('#7a8086', 18, 50)
  addFloor(scene, random)
  rack(scene, random, -4.0, 4.4, 4)
  rack(scene, random, 5.3, 4.4, 4)
  addMachine(scene)
  stack(scene, -2.45, 2.2, 0.1, 2)
  stack(scene, 3.4, -9.9, -0.1, 3)
  stack(scene, -5.6, -10.0, 0, 2)
  stack(scene, -4.2, -10.1, 0.05, 3)
  cone(scene, 0.2, -4.4)
  cone(scene, 2.7, -4.5)
  cone(scene, 2.75, -1.2)
  addBackWall(scene)
  for (let z = 3; z > -11; z -= 4.6)
    ceilingLamp(scene, {
      size: [0.35, 0.06, 2.2],
      y: 6.2,
      z,
      glow: { color: '#fffbe8', intensity: 2 },
      light: { color: '#fff6e6', intensity: 30, reach: 15, decay: 1.6, y: 5.9 },
    })
  const { left, right, back, front } = forbidden
  return {
    scene,
    camera: { at: [-1.2, 2.7, 5.0], toward: [0.3, 0.9, -2.6], fieldOfView: 41 },
    light: { sky: 1.15, sun: { from: [-5, 13, 6], strength: 1.3 }, exposure: 1.0 },
    seconds: 57,
    zone: {
      name: 'machine',
      points: [
        [left, front],
        [right, front],
        [right, back],
        [left, back],
      ],
    },
    people,
  }
}

function addFloor(scene: THREE.Scene, random: Random): void {
  ground(scene, [24, 44], [0, 0, -8], {
    pixels: [1024, 2048],
    paint: (canvas, width, height) => {
      fill(canvas, '#a3a6a5', width, height)
      stain(random, 60, 0.04)(canvas, width, height)
      speckle(random, 24_000, 0.05, 3)(canvas, width, height)
      canvas.strokeStyle = 'rgba(60,60,60,.25)'
      for (let i = 0; i <= 8; i++) strokeLines(canvas, [0, (i * height) / 8, width, (i * height) / 8])
    },
  })
  for (const x of [-2.75, 2.75])
    ground(scene, [0.1, 40], [x, 0.003, -8], {
      pixels: [32, 512],
      repeat: [1, 4],
      paint: (canvas, width, height) => {
        fill(canvas, '#cda51f', width, height)
        speckle(random, 2500, 0.2, 5)(canvas, width, height)
      },
    })
  const { left, right, back, front } = forbidden
  ground(
    scene,
    [right - left, front - back],
    [(left + right) / 2, 0.005, (back + front) / 2],
    { pixels: [512, 640], paint: paintHatching },
    { transparent: true, opacity: 0.55 },
  )
}

function paintHatching(canvas: CanvasRenderingContext2D, width: number, height: number): void {
  canvas.clearRect(0, 0, width, height)
  canvas.strokeStyle = '#b8392b'
  canvas.lineWidth = 14
  canvas.strokeRect(7, 7, width - 14, height - 14)
  canvas.lineWidth = 7
  for (let x = -height; x < width + height; x += 62) strokeLines(canvas, [x, 0, x + height, height])
}

/** With window, panel and lamp. */
function addMachine(scene: THREE.Scene): void {
  roundedBox(scene, [1.5, 1.9, 2.1], [3.75, 0, -2.8], '#9aa4aa', { roughness: 0.5 })
  box(scene, [0.06, 0.9, 1.1], [2.99, 0.7, -2.8], '#27323b', { roughness: 0.2 })
  box(scene, [0.1, 0.5, 0.4], [2.97, 1.0, -2.0], '#2f3d49')
  box(scene, [0.12, 0.35, 0.12], [3.2, 1.9, -2.1], '#3aa55d', { emissive: '#2a8a4a', emissiveIntensity: 0.7 })
}

/** With a roller door. */
function addBackWall(scene: THREE.Scene): void {
  box(scene, [24, 8, 0.4], [0, 0, -11.2], '#b3b8bb')
  box(scene, [3.2, 3.4, 0.1], [-0.3, 0, -10.98], '#c3c9cc', { roughness: 0.5 })
  for (let y = 0.5; y < 3.3; y += 0.5) box(scene, [3.2, 0.03, 0.12], [-0.3, y, -10.97], '#9ba3a8')
  box(scene, [24, 0.14, 0.06], [0, 0, -10.97], '#9da3a7')
}

/** Two of six step into the forbidden area. */
const people: SceneSet['people'] = [
  {
    start: 2.0,
    path: [
      [-8, -8.0],
      [-2.6, -7.9],
      [-1.0, -6.6],
      [-0.9, -3],
      [-0.8, 1],
      [-0.9, 6.5],
    ],
    outfit: outfits.yellowVest,
    speed: 1.3,
  },
  {
    start: 9.5,
    path: [
      [0.4, 7],
      [0.3, 1.4],
      [0.8, -0.8],
      [1.4, -2.6],
      [1.2, -5],
      [-0.6, -7.6],
      [-3, -8.4],
      [-8, -8.4],
    ],
    outfit: outfits.orangeVest,
    speed: 1.2,
    stops: [{ at: 0.46, seconds: 2.2 }],
  },
  {
    start: 19.0,
    path: [
      [8, -8.0],
      [2.6, -7.9],
      [0.4, -6.8],
      [-1.0, -4],
      [-1.2, 0],
      [-1.2, 6.5],
    ],
    outfit: { ...outfits.blueOverall, bag: { side: 1, color: '#3b3f45' } },
    speed: 1.25,
  },
  {
    start: 26.5,
    path: [
      [-8, -8.2],
      [-2.4, -8.1],
      [0.6, -7.8],
      [3, -8.1],
      [8, -8.2],
    ],
    outfit: outfits.bareheadedVest,
    speed: 1.25,
  },
  {
    start: 31.0,
    path: [
      [-1.0, 7],
      [-0.9, 1.0],
      [-0.8, -3],
      [-0.6, -6.2],
      [1.4, -7.8],
      [8, -8.2],
    ],
    outfit: outfits.grey,
    speed: 1.3,
  },
  {
    start: 38.0,
    path: [
      [8, -8.2],
      [2.6, -8.0],
      [0.2, -7.0],
      [1.0, -5],
      [1.5, -3.4],
      [0.8, -1.2],
      [-0.8, -0.2],
      [-0.9, 2],
      [-0.9, 6.5],
    ],
    outfit: { ...outfits.yellowVest, height: 1.72, helmet: '#2f6db5' },
    speed: 1.2,
  },
]
