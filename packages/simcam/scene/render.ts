/**
 * Renders the scenes of the simulated cameras, encodes them, and writes down the truth about them. Run by hand when a
 * scene changes; the results are part of the repository, so that running and testing need neither browser nor ffmpeg.
 *
 *   node packages/simcam/scene/render.ts                          all scenes, into packages/simcam/scenes
 *   node packages/simcam/scene/render.ts lobby --out /tmp/x       one of them, elsewhere
 *   node packages/simcam/scene/render.ts lobby --stills 5,12 --out /tmp/x     pictures of those seconds only
 *
 * Needs Chromium (CHROMIUM=path) and ffmpeg with libx264 and libx265; two CPU cores render 3 to 6 frames a second.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sceneNames } from '../src/scene.ts'
import type { Truth, TruthPerson } from '../src/truth.ts'
import { openStage } from './browser.ts'
import { encodeH264, encodeH265, encodeStills, flatJpeg } from './encode.ts'
import { eventsIn } from './events.ts'

const width = 640
const height = 360
const fps = 15
const seed = 7
/** Seconds of each scene that are also made in H.265; people are about. */
const h265 = { from: 10, seconds: 4 }
const blackSeconds = 4

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: fileURLToPath(new URL('../scenes', import.meta.url)) },
    stills: { type: 'string' },
  },
})
mkdirSync(values.out, { recursive: true })
for (const name of positionals.length > 0 ? positionals : [...sceneNames, 'black']) {
  if (name === 'black') await renderBlack()
  else if (values.stills) await renderStills(name, values.stills.split(',').map(Number))
  else await renderScene(name)
}

async function renderStills(name: string, seconds: number[]): Promise<void> {
  const stage = await openStage(name, width, height, seed)
  for (const second of seconds) {
    const { jpeg, people } = await stage.frame(second, 0.95)
    writeFileSync(join(values.out, `${name}-${second}.jpg`), Buffer.from(jpeg, 'base64'))
    console.log(second, JSON.stringify(people))
  }
  await stage.close()
}

async function renderScene(name: string): Promise<void> {
  const stage = await openStage(name, width, height, seed)
  const { seconds, line, zone, people } = stage.info
  const total = Math.round(seconds * fps)
  const frames: TruthPerson[][] = []
  const started = performance.now()
  async function* pictures() {
    for (let i = 0; i < total; i++) {
      const frame = await stage.frame(i / fps)
      frames.push(frame.people)
      yield Buffer.from(frame.jpeg, 'base64')
      const rate = (i + 1) / ((performance.now() - started) / 1000)
      if (i % 100 === 99) console.log(`${name}: ${i + 1} of ${total} frames, ${rate.toFixed(1)} a second`)
    }
  }
  const file = (ending: string) => join(values.out, `${name}.${ending}`)
  await encodeH264(pictures(), fps, file('h264'))
  await stage.close()
  await encodeH265(file('h264'), fps, h265.from, h265.seconds, file('h265'))
  await encodeStills(file('h264'), fps, file('mjpeg'))
  const events = eventsIn(frames, { line, zone })
  const truth: Truth = {
    scene: name,
    seed,
    width,
    height,
    fps,
    frames_total: total,
    line,
    zone,
    ...events,
    people,
    frames,
  }
  // A line for each frame: a changed scene shows in a diff what has changed.
  writeFileSync(file('truth.json'), JSON.stringify(truth).replaceAll('],[', '],\n['))
  console.log(`${name}: ${JSON.stringify(events)}`)
}

/** What a covered lens sees. */
async function renderBlack(): Promise<void> {
  const jpeg = await flatJpeg('0x060607', width, height)
  async function* pictures() {
    for (let i = 0; i < blackSeconds * fps; i++) yield jpeg
  }
  const file = join(values.out, 'black.h264')
  await encodeH264(pictures(), fps, file)
  await encodeStills(file, fps * blackSeconds, join(values.out, 'black.mjpeg'))
}
