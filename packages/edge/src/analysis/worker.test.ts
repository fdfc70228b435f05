/** An analysis worker as a thread, with pictures of two cameras through its real socket. */
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { connectFrames, type FrameSocket, frameTicket } from '../camera/frames.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import { channelOf, sourceId, wholePicture } from './testing/run.ts'

const otherId = '00000000-0000-7000-8000-00000000000b'
let worker: Worker
afterEach(() => worker.terminate())

test('a camera whose pictures cannot be analysed says so, is left alone, and takes no other camera along', {
  timeout: 120_000,
}, async () => {
  worker = new Worker(new URL('./worker.ts', import.meta.url))
  const heard: FromWorker[] = []
  let hasEnded = false
  worker.on('exit', () => {
    hasEnded = true
  })
  const socket = await new Promise<FrameSocket>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('message', (message: FromWorker) => {
      heard.push(message)
      if (message.type === 'ready') resolve(message.socket)
    })
  })
  const good = channelOf('pplcnt', [{ points: wholePicture }])
  const bad = { ...channelOf('ppltrk', [{ points: wholePicture }]), source_id: otherId }
  worker.postMessage({ type: 'channels', channels: [good, bad], carried: [] } satisfies ToWorker)
  const [healthy, broken] = [sourceId, otherId].map((id) => connect(socket, id))
  const start = Date.now()
  for (let i = 0; i < 20; i++) {
    await healthy!(start + i * 200, 64, 48)
    // A shape that cannot be scaled; of one camera more pictures come than of the other, which is at rest.
    for (let j = 0; j < 6; j++) await broken!(start + i * 200 + j * 30, 4000, 2)
  }
  const told = () => heard.filter(({ type }) => type === 'beat').length
  const before = told()
  await expect.poll(told, { timeout: 60_000 }).toBeGreaterThan(before)
  const beat = heard.findLast((message) => message.type === 'beat')
  const states = beat?.type === 'beat' ? beat.states : []
  expect(hasEnded).toBe(false)
  expect(states.find(({ channel_id }) => channel_id === good.channel_id)).toMatchObject({ state: 'running' })
  expect(states.find(({ channel_id }) => channel_id === bad.channel_id)).toMatchObject({
    ...{ state: 'stopped', cause: 'analysis_failed', fps: 0 },
  })
  // Of the 120 pictures of the camera that is at fault hardly any were tried.
  const tried = heard.reduce((sum, message) => sum + (message.type === 'beat' ? message.work.frames : 0), 0)
  expect(tried).toBeLessThan(60)
  const log = heard.flatMap((message) => (message.type === 'log' ? [message.text] : []))
  expect(log).toEqual([expect.stringContaining('OpenCV'), expect.stringContaining(otherId)])
})

/** Sends pictures of a camera, each when the worker asks for one, and waits until it was looked at. */
function connect(socket: FrameSocket, id: string) {
  let isReady: () => void = () => undefined
  const sender = connectFrames(
    frameTicket(socket, id),
    () => isReady(),
    () => isReady(),
  )
  const ready = async () => {
    if (!sender.ready()) await new Promise<void>((resolve) => (isReady = resolve))
  }
  return async (at: number, width: number, height: number) => {
    await ready()
    sender.send({ at, pts_ms: 0, width, height, data: new Uint8Array(width * height * 3).fill(90) })
    await ready()
  }
}
