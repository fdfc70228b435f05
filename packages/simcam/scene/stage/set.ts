import type * as THREE from 'three'
import type { Outfit } from './outfit.ts'
import type { Walk } from './walk.ts'

type Place = [x: number, y: number, z: number]
type FloorPoint = [x: number, z: number]

/** A place with what happens in it. It begins and ends without people, so that its loop has no seam. */
export type SceneSet = {
  scene: THREE.Scene
  camera: { at: Place; toward: Place; fieldOfView: number }
  light: { sky: number; sun: { from: Place; strength: number } | null; exposure: number }
  /** Of the loop. */
  seconds: number
  /** Along x; the inside is toward the camera. */
  line?: { name: string; a: FloorPoint; b: FloorPoint }
  zone?: { name: string; points: FloorPoint[] }
  people: (Walk & { outfit: Outfit })[]
}
