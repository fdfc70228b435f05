/** Models that crash, through real processes that are killed while they work. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChannelState } from '@sightline/contract/edge'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colourDetector, costlyDetector } from '../../../domain/src/testing/onnx-file.ts'
import { createAnalyzer } from '../analysis/analyzer.ts'
import { type Cv, loadOpenCv } from '../analysis/opencv.ts'
import { channelOf, countingBytes, wholePicture } from '../analysis/testing/run.ts'
import { asOnePicture, type Inference, logModelsTo, openInference } from './inference.ts'

const folder = mkdtempSync(join(tmpdir(), 'inference-'))
const opened: Inference[] = []
let cv: Cv
beforeAll(async () => {
  cv = await loadOpenCv()
})
afterAll(() => {
  for (const one of opened) one.close()
  rmSync(folder, { recursive: true })
})

const side = 640
const size = { width: side, height: side }
const picture = new Uint8Array(side * side * 3).fill(114)
function opens(name: string, bytes: Uint8Array): Inference {
  const file = join(folder, `${name}.onnx`)
  writeFileSync(file, bytes)
  const one = openInference({ file, head: 'yolov8', size })
  opened.push(one)
  return one
}
const looks = (one: Inference) => one.find(picture, size, 0.99)

/** From another process, since this one waits for the answer meanwhile. */
const killSoon = (pid: number, signal: string) => spawn('sh', ['-c', `sleep 0.2; kill -${signal} ${pid}`])
/** Works on until it works no more, and answers when it was last asked to: its pause begins after that. */
function worksUntilKilled(one: Inference, signal: string): number {
  killSoon(one.pid() as number, signal)
  const begun = performance.now()
  for (;;) {
    const asked = performance.now()
    if (looks(one) === null) return asked
    if (asked - begun > 20_000) throw new Error('It was not killed.')
  }
}
/** @returns when it was so */
function waitFor(isSo: () => boolean): number {
  const begun = performance.now()
  while (!isSo()) {
    if (performance.now() - begun > 20_000) throw new Error('It did not come about.')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
  return performance.now()
}

test('a model that crashes costs no other: it says why, is started again, and is left alone when it crashes on', () => {
  const other = opens('other', colourDetector('yolov8', side))
  const one = opens('one', costlyDetector(side))
  expect([looks(one), one.trouble(), looks(other), other.trouble()]).toEqual([[], null, [], null])

  const crashed = worksUntilKilled(one, 'SEGV')
  expect([looks(one), one.trouble(), one.pid()]).toEqual([null, 'model_crashed:SIGSEGV', null])
  expect(looks(other)).toEqual([])
  // Not at once: a model that crashes as it begins would take a core.
  expect(waitFor(() => one.trouble() === null) - crashed).toBeGreaterThan(500)
  expect(looks(one)).toEqual([])

  const killed = worksUntilKilled(one, 'KILL')
  expect(one.trouble()).toBe('model_crashed:SIGKILL')
  expect(waitFor(() => one.trouble() === null) - killed).toBeGreaterThan(4000)
  worksUntilKilled(one, 'KILL')
  expect([one.trouble(), looks(one), one.pid()]).toEqual(['model_quarantined:SIGKILL', null, null])
  expect([looks(other), other.trouble()]).toEqual([[], null])
  // Who opens it anew gets it as it was left.
  one.close()
  expect(opens('one', costlyDetector(side)).trouble()).toBe('model_quarantined:SIGKILL')
})

test('a model that hangs holds up a picture once, whatever else is asked for it, and does not end unheard', async () => {
  const told: string[] = []
  logModelsTo((text) => told.push(text))
  const [one, other] = [opens('hangs', costlyDetector(side)), opens('beside', colourDetector('yolov8', side))]
  process.kill(one.pid() as number, 'SIGSTOP')
  const begun = performance.now()
  const answered = asOnePicture(() => [looks(one), looks(one), looks(other), other.trouble()])
  // Twice its patience would be ten seconds.
  expect(performance.now() - begun).toBeLessThan(9500)
  expect(told).toContainEqual(expect.stringContaining('did not answer in time'))
  expect([answered, one.trouble()]).toEqual([[null, null, null, 'model_crashed:late'], 'model_crashed:late'])
  // The next picture begins with all of its time.
  expect(asOnePicture(() => looks(other))).toEqual([])
  process.kill(other.pid() as number, 'SIGABRT')
  await expect.poll(() => told).toContainEqual(expect.stringContaining('SIGABRT'))
})

const start = Date.UTC(2026, 4, 4, 12)
const [width, height] = [320, 240]
test('channels of a model that crashed say so and count nothing; channels without it on the same camera count on', () => {
  const file = join(folder, 'channels.onnx')
  writeFileSync(file, costlyDetector(320))
  const model = { sha256: 'cd'.repeat(32), file, head: 'yolov8' as const, labels: { 0: 'person' as const } }
  const input = { width: 320, height: 320, is_open: false }
  const analyzer = createAnalyzer({ cv, random: countingBytes() })
  const uses = channelOf('pplcnt', [{ points: wholePicture }], {
    'detector.kind': 'onnx',
    'detector.model': '00000000-0000-7000-8000-0000000000aa',
  })
  const withoutIt = channelOf('intrdtec', [{ points: wholePicture }])
  // Shares the model's process with the channel, and so tells which one that is.
  const same = openInference({ file, head: 'yolov8', size: { width: 320, height: 320 } })
  opened.push(same)
  analyzer.setChannels([{ ...uses, model: { ...model, input } }, withoutIt], start)
  const stateOf = (id: string) => analyzer.states().find(({ channel_id }) => channel_id === id) as ChannelState
  const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => 90 + ((Math.floor(i / 48) * 7) % 60))
  const play = (from: number, to: number) => {
    for (let ms = from; ms < to; ms += 200)
      analyzer.frame({ source_id: uses.source_id, at: start + ms, pts_ms: ms, width, height, data })
  }
  play(0, 4000)
  expect(stateOf(uses.channel_id)).toMatchObject({ state: 'running', detector_state: 'ok', cause: null })
  process.kill(same.pid() as number, 'SIGKILL')
  waitFor(() => same.trouble() !== null)
  play(4000, 5000)
  expect(stateOf(uses.channel_id)).toMatchObject({ detector_state: 'needs_model', cause: 'model_crashed:SIGKILL' })
  expect(stateOf(withoutIt.channel_id)).toMatchObject({ state: 'running', detector_state: 'ok', cause: null })
  waitFor(() => same.trouble() === null)
  play(5000, 6000)
  expect(stateOf(uses.channel_id)).toMatchObject({ state: 'running', detector_state: 'ok', cause: null })
  analyzer.stop(start + 6000, 'disabled')
})
