/** The scenes that the simulated cameras show, rendered by our own generator (`../scene`). */
import { readFileSync } from 'node:fs'
import { type AccessUnit, groupAccessUnits, splitNalUnits } from './annexb.ts'
import { parseJpeg, splitJpegs } from './jpeg.ts'
import type { Codec } from './payload.ts'
import { truthOf } from './truth.ts'

/** A reception hall with a door line, a storage aisle with a forbidden zone, a corridor where hardly anybody passes. */
export const sceneNames = ['lobby', 'warehouse', 'corridor'] as const
export type SceneName = (typeof sceneNames)[number]

/** A loop of pictures in decoding order, which is also the order of display: there are no B-frames. */
export type Clip = {
  codec: Codec
  width: number
  height: number
  /** Pictures per second. */
  fps: number
  /** How many frames of the scene one picture lasts. */
  every: number
  pictures: AccessUnit[]
}

/** The scene itself, and what it becomes when the camera misbehaves. All share the scene's clock. */
export type Scene = {
  name: SceneName
  /** Frames per second and frames per loop. */
  fps: number
  frames: number
  width: number
  height: number
  clips: Record<'h264' | 'h265' | 'mjpeg' | 'black', Clip>
  /** The picture of each second as JPEG. */
  stills: Uint8Array[]
  blackStill: Uint8Array
}

const mjpegFps = 5

const loaded = new Map<SceneName, Scene>()

/** Loads a scene once; all cameras that show it share it. */
export function loadScene(name: SceneName): Scene {
  const known = loaded.get(name)
  if (known) return known
  const { fps, frames_total: frames, width, height } = truthOf(name)
  const clip = (codec: Codec, pictures: AccessUnit[], every = 1): Clip => ({
    codec,
    width,
    height,
    fps: fps / every,
    every,
    pictures,
  })
  const stills = splitJpegs(read(`${name}.mjpeg`))
  const scene: Scene = {
    name,
    fps,
    frames,
    width,
    height,
    clips: {
      h264: clip('H264', pictures('H264', `${name}.h264`)),
      h265: clip('H265', pictures('H265', `${name}.h265`)),
      mjpeg: clip(
        'MJPEG',
        // Each still several times: clients that measure a stream take one picture a second for a dead one.
        stills.flatMap((still) => Array(mjpegFps).fill({ units: [still], isKey: true })),
        fps / mjpegFps,
      ),
      black: clip('H264', pictures('H264', 'black.h264')),
    },
    stills,
    blackStill: read('black.mjpeg'),
  }
  check(scene)
  loaded.set(name, scene)
  return scene
}

/** The picture that begins at frame `tick` (counted since the camera started), or null while an earlier one lasts. */
export function pictureAt(clip: Clip, tick: number): AccessUnit | null {
  if (tick % clip.every !== 0) return null
  return clip.pictures[(tick / clip.every) % clip.pictures.length] ?? null
}

/** The first frame from `tick` on at which a key frame begins. */
export function nextKeyTick(clip: Clip, tick: number): number {
  while (!pictureAt(clip, tick)?.isKey) tick++
  return tick
}

const read = (file: string): Buffer => readFileSync(new URL(`../scenes/${file}`, import.meta.url))

const pictures = (codec: 'H264' | 'H265', file: string) => groupAccessUnits(codec, splitNalUnits(read(file)))

/** A scene whose parts do not fit together would loop with a seam: better no camera than a wrong one. */
function check(scene: Scene): void {
  const { name, clips, frames, fps } = scene
  const fault =
    clips.h264.pictures.length !== frames
      ? `has ${clips.h264.pictures.length} pictures and truth for ${frames}`
      : scene.stills.length !== frames / fps
        ? `has ${scene.stills.length} stills for ${frames / fps} s`
        : Object.values(clips).some((clip) => clip.pictures[0]?.isKey !== true)
          ? 'does not begin with a key frame'
          : null
  if (fault) throw new Error(`Scene ${name} ${fault}`)
  parseJpeg(scene.stills[0] as Uint8Array)
}
