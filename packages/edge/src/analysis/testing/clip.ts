import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Box } from '@sightline/domain'

export type TruthPerson = {
  id: number
  /** Pixels of the clip. */
  box: Box
  /** The ground below the body, where a scene's model knows it. */
  foot?: Pixel
  /** `'i'`: neither right nor wrong to find: cut by the edge, mostly hidden or tiny. */
  f: '' | 'o' | 'i'
}
export type Pixel = [x: number, y: number]
export type Truth = {
  width: number
  height: number
  fps: number
  /** Null where nobody looked. */
  frames: (TruthPerson[] | null)[]
  line?: { a: Pixel; b: Pixel; insideSign: 1 | -1 }
  crossings?: { dir: 'in' | 'out' }[]
  zone?: { points: Pixel[] }
  zoneEntries?: { frame: number; id: number }[]
  /** Where it is not known who is who: how many different people pass, as others have counted. */
  passers?: number
}
export type Clip = { file: string; truth: Truth }

const scenes = new URL('../../../../simcam/scenes/', import.meta.url)

/** A scene of the simulated cameras, with its exact truth. */
export function scene(name: 'lobby' | 'warehouse' | 'corridor'): Clip {
  return {
    file: fileURLToPath(new URL(`${name}.h264`, scenes)),
    truth: JSON.parse(readFileSync(new URL(`${name}.truth.json`, scenes), 'utf8')) as Truth,
  }
}

/** Real footage beside the repository, with people drawn by hand in some frames; null when it is not there. */
export function pedestrians(): Clip | null {
  const folder = new URL('../../../../../../shared/footage/', import.meta.url)
  const file = fileURLToPath(new URL('pedestrians.mp4', folder))
  const drawn = new URL('pedestrians.truth.json', folder)
  if (!existsSync(file) || !existsSync(drawn)) return null
  type Drawn = { x: number; y: number; w: number; h: number; f: TruthPerson['f'] }
  const byFrame = JSON.parse(readFileSync(drawn, 'utf8')) as Record<string, Drawn[]>
  const frames = Array.from(
    { length: 795 },
    (_, i) => byFrame[i]?.map(({ x, y, w, h, f }, id): TruthPerson => ({ id, box: [x, y, w, h], f })) ?? null,
  )
  return { file, truth: { width: 480, height: 360, fps: 10, frames, passers: 19 } }
}

export type Picture = { index: number; width: number; height: number; data: Uint8Array }

/** Every `step`-th picture of a clip from the `first` on, decoded by a process of its own. The buffer is used again. */
export async function* pictures(
  { file }: Pick<Clip, 'file'>,
  { first = 0, step, most = { width: 640, height: 480 } }: { first?: number; step: number; most?: Size },
): AsyncGenerator<Picture> {
  const script = fileURLToPath(new URL('./decode.ts', import.meta.url))
  const args = [script, file, first, step, most.width, most.height].map(String)
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    let header: Buffer = Buffer.alloc(0)
    let size: Size | null = null
    let data: Buffer = Buffer.alloc(0)
    let filled = 0
    let index = first
    for await (let chunk of child.stdout as AsyncIterable<Buffer>) {
      if (!size) {
        header = Buffer.concat([header, chunk])
        const end = header.indexOf('\n')
        if (end < 0) continue
        size = JSON.parse(header.subarray(0, end).toString()) as Size
        data = Buffer.allocUnsafe(size.width * size.height * 3)
        chunk = header.subarray(end + 1)
      }
      while (chunk.length > 0) {
        const count = chunk.copy(data, filled)
        chunk = chunk.subarray(count)
        filled += count
        if (filled < data.length) break
        filled = 0
        yield { index, ...size, data }
        index += step
      }
    }
    if (!size) throw new Error(`${file} gave no picture`)
  } finally {
    child.kill()
  }
}

type Size = { width: number; height: number }
