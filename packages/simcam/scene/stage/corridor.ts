import * as THREE from 'three'
import { ceilingLamp, stack } from './furniture.ts'
import { box, fill, ground, plaster, type Random, roundedBox, speckle, stain, texture } from './kit.ts'
import { outfits } from './outfit.ts'
import type { SceneSet } from './set.ts'

/** A service corridor at night: nothing moves for most of the loop, then one person comes by. */
export function corridor(random: Random): SceneSet {
  const scene = new THREE.Scene()
  scene.background = new THREE.Color('#3d4044')
  addFloor(scene, random)
  addWalls(scene, random)
  addDoors(scene)
  addThings(scene)
  for (let z = 3; z > -9; z -= 3.7)
    ceilingLamp(scene, {
      size: [0.7, 0.04, 1.2],
      y: 3.07,
      z,
      glow: { color: '#f4f8ff', intensity: 1.6 },
      light: { color: '#eef4ff', intensity: 9, reach: 9, decay: 1.5, y: 2.75 },
    })
  return {
    scene,
    camera: { at: [0.75, 2.45, 4.4], toward: [-0.1, 0.85, -3.2], fieldOfView: 43 },
    light: { sky: 0.6, sun: null, exposure: 0.95 },
    seconds: 60,
    line: { name: 'corridor', a: [-1.95, -2.6], b: [1.95, -2.6] },
    people: [
      {
        start: 40,
        path: [
          [-5.5, -8.2],
          [-2.4, -8.2],
          [-0.2, -7.2],
          [0.1, -3],
          [-0.2, 1],
          [-0.5, 6.5],
        ],
        outfit: { ...outfits.suit, top: '#2a3346', height: 1.8 },
        speed: 1.3,
      },
    ],
  }
}

function addFloor(scene: THREE.Scene, random: Random): void {
  ground(
    scene,
    [5, 34],
    [0, 0, -6],
    {
      pixels: [512, 1024],
      repeat: [1, 3],
      paint: (canvas, width, height) => {
        fill(canvas, '#8f948f', width, height)
        stain(random, 20, 0.03)(canvas, width, height)
        speckle(random, 9000, 0.06, 3)(canvas, width, height)
      },
    },
    { roughness: 0.45 },
  )
}

/** A side passage opens at the back, on the left. */
function addWalls(scene: THREE.Scene, random: Random): void {
  const map = texture({ paint: plaster(random, '#c3c6c2'), repeat: [8, 1] })
  const wall = new THREE.MeshStandardMaterial({ map, roughness: 0.9 })
  box(scene, [0.25, 3.1, 14.6], [-2.1, 0, 0], wall)
  box(scene, [0.25, 3.1, 34], [2.1, 0, -6], wall)
  box(scene, [12, 3.1, 0.3], [-2, 0, -9.4], '#c6c9c7')
  ground(scene, [4, 2.2], [-4, 0.001, -8.3], {
    paint: (canvas, width, height) => {
      fill(canvas, '#8f948f', width, height)
      speckle(random, 4000, 0.06, 3)(canvas, width, height)
    },
  })
  box(scene, [4, 3.1, 0.25], [-4.1, 0, -7.15], wall)
  box(scene, [5, 0.1, 34], [0, 3.1, -6], '#c9cbc8')
  for (const [x, length, z] of [
    [-1.97, 14.6, 0],
    [1.97, 34, -6],
  ] as const) {
    box(scene, [0.03, 0.75, length], [x, 0, z], '#5e7480')
    box(scene, [0.06, 0.12, length], [x * 0.99, 0.85, z], '#8d6f4c')
  }
}

function addDoors(scene: THREE.Scene): void {
  for (const [x, z] of [
    [-1.96, 0.2],
    [1.96, -3.2],
    [-1.96, -4.9],
  ] as const) {
    box(scene, [0.06, 2.15, 1.0], [x, 0, z], '#6e5137', { roughness: 0.5 })
    box(scene, [0.1, 2.25, 0.06], [x, 0, z - 0.53], '#3f4347')
    box(scene, [0.1, 2.25, 0.06], [x, 0, z + 0.53], '#3f4347')
    box(scene, [0.12, 0.05, 0.14], [x * 0.98, 1.0, z + 0.38], '#c9c9c4', { metalness: 0.6, roughness: 0.3 })
  }
  box(scene, [1.7, 2.2, 0.1], [0.6, 0, -9.22], '#a9b2b5')
  box(scene, [0.03, 2.2, 0.12], [0.6, 0, -9.21], '#5c656a')
  box(scene, [0.55, 0.2, 0.06], [0.6, 2.4, -9.2], '#2fa05a', { emissive: '#2fa05a', emissiveIntensity: 1.3 })
}

/** Fire extinguisher, bin, carton. */
function addThings(scene: THREE.Scene): void {
  box(scene, [0.35, 0.6, 0.22], [1.85, 0.9, -0.6], '#a32922', { roughness: 0.4 })
  roundedBox(scene, [0.6, 0.8, 0.42], [-1.6, 0, -3.4], '#8f979c')
  stack(scene, 1.4, -5.6, 0, 1)
}
