/** Clips for simulated cameras, made by ffmpeg once and kept under .cache; scenes that the product ships as they are. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sceneNames, truthOf } from '@sightline/simcam'
import type { ClipFile } from './process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, '.cache/bench')

export const hasFfmpeg = (): boolean => spawnSync('ffmpeg', ['-version']).status === 0

export const scenePath = (name: string): string => join(root, `packages/simcam/scenes/${name}.h264`)

/** @throws with ffmpeg's last words */
export function ffmpeg(args: readonly string[]): string {
  const { status, stderr } = spawnSync('ffmpeg', ['-hide_banner', '-nostdin', '-y', ...args], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (status !== 0) throw new Error(`ffmpeg fails: ${stderr.trim().split('\n').slice(-3).join(' | ')}`)
  return stderr
}

function made(name: string, args: readonly string[]): string {
  const path = join(folder, name)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const draft = join(folder, `draft-${process.pid}-${name}`)
  ffmpeg(['-loglevel', 'error', ...args, draft])
  renameSync(draft, path)
  return path
}

/** Frames of the scene's truth lie `above` pixels lower in its VGA clip. */
export type VgaScene = ClipFile & { scene: (typeof sceneNames)[number]; above: number }

/**
 * The demo scenes at 640×480: the picture keeps its size, so that its truth holds, and gets a rim above and below. Sensor
 * noise over all of it makes decoding cost what it costs with a real camera.
 */
export function vgaScenes(): VgaScene[] {
  return sceneNames.map((scene) => {
    const { width, height, fps } = truthOf(scene)
    const above = (480 - height) / 2
    const filter = `pad=640:480:0:${above}:gray,noise=alls=4:allf=t`
    const encode = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '1M', '-g', String(2 * fps), '-bf', '0']
    const path = made(`${scene}-vga.h264`, [
      ...['-r', String(fps), '-i', scenePath(scene), '-vf', filter, ...encode, '-pix_fmt', 'yuv420p'],
    ])
    return { path, width, height: 480, fps, scene, above }
  })
}

const noisy = (scene: string) => ['-f', 'lavfi', '-i', `${scene}s=1280x720:r=10:d=30,noise=alls=6:allf=t`]
const encoded = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '2M', '-g', '20', '-bf', '0', '-pix_fmt', 'yuv420p'],
]

/** The CAM clip: 1280×720, 10 a second, 2 Mb/s, 30 s, noise, and a box that moves 4 s of every 10. */
export function quietClip(): ClipFile {
  const path = made('cam.h264', [
    ...noisy('color=c=gray:'),
    ...['-f', 'lavfi', '-i', 'testsrc=s=160x240:r=10:d=30'],
    '-filter_complex',
    "[0][1]overlay=x='mod(t*80,1120)':y='200+60*sin(t)':enable='between(mod(t,10),2,6)'",
    ...encoded,
  ])
  return { path, width: 1280, height: 720, fps: 10 }
}

/** Whether the box of the CAM clip is there at a time of it, in seconds. */
export const boxMoves = (seconds: number): boolean => seconds % 10 >= 2 && seconds % 10 <= 6

/**
 * The same noise before bars that stand still: before grey alone the analysis rightly says that the lens is covered, and
 * counts nothing. The encoder may not begin better than it goes on, which would be a change at each turn of the clip.
 */
export function stillClip(): ClipFile {
  const path = made('bars.h264', [...noisy('smptehdbars='), ...encoded, ...['-qmin', '24']])
  return { path, width: 1280, height: 720, fps: 10 }
}
