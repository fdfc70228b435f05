/** What really happens in a scene, frame by frame, as the generator knows it from its three-dimensional model. */
import { readFileSync } from 'node:fs'
import type { SceneName } from './scene.ts'

/** A point in pixels of the picture, origin top left. */
export type Pixel = [x: number, y: number]

export type TruthPerson = {
  id: number
  /** [x, y, width, height] of the whole body in pixels; it may reach beyond the picture and behind objects. */
  box: [number, number, number, number]
  /** The ground below the body. */
  foot: Pixel
  /** `''` plain, `'o'` partly hidden, `'i'` not to be counted: mostly outside the picture, mostly hidden, or tiny. */
  f: '' | 'o' | 'i'
  /** Share of the body that nothing hides, 0…1. */
  visible: number
  moving: boolean
  /** Of the line, in scenes that have one. */
  side?: 'inside' | 'outside'
  /** In scenes that have a zone. */
  inZone?: boolean
}

/** Exact over whole loops; frames are counted from 0 and the last is followed by the first. */
export type Truth = {
  scene: string
  seed: number
  width: number
  height: number
  fps: number
  frames_total: number
  /** `insideSign`: sign of the cross product (b − a) × (p − a) for a point p on the inside. */
  line?: { name: string; a: Pixel; b: Pixel; insideSign: 1 | -1 }
  crossings?: { frame: number; id: number; dir: 'in' | 'out' }[]
  zone?: { name: string; points: Pixel[] }
  zoneEntries?: { frame: number; id: number }[]
  people: { id: number; height: number; wears: string }[]
  /** Who is to be seen in each frame. */
  frames: TruthPerson[][]
}

export function truthOf(scene: SceneName): Truth {
  return JSON.parse(readFileSync(new URL(`../scenes/${scene}.truth.json`, import.meta.url), 'utf8'))
}
