import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { DemoCamera } from './camera.ts'
import { ffmpegMissing, read, withCredentials } from './testing/ffmpeg.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

type Answer = { type: 'cameras'; cameras: DemoCamera[] } | { type: 'failed'; sentence: string }

function start(dataDir = 'one') {
  const child = fork(program, { execArgv: [], env: { ...process.env, DATA_DIR: dataDir } })
  children.push(child)
  const tell = async (message: object): Promise<Answer> => {
    const answer = once(child, 'message')
    child.send(message)
    return (await answer)[0] as Answer
  }
  const cameras = async (message: object): Promise<DemoCamera[]> => {
    const answer = await tell(message)
    if (answer.type === 'failed') throw new Error(answer.sentence)
    return answer.cameras
  }
  return { child, tell, cameras }
}

const portsOf = (cameras: DemoCamera[]) => cameras.map(({ rtsp_port, onvif_port }) => ({ rtsp_port, onvif_port }))

describe('the process of simulated cameras', () => {
  test('starts cameras, and more of them, each with its own scene, ports and UUID', async () => {
    const { cameras } = start()
    expect((await cameras({ type: 'start', count: 2 })).map(({ name }) => name)).toEqual(['Lobby', 'Warehouse'])
    const four = await cameras({ type: 'start', count: 4 })
    expect(four.map(({ name }) => name)).toEqual(['Lobby', 'Warehouse', 'Corridor', 'Lobby 2'])
    expect(new Set(four.map(({ UUID }) => UUID)).size).toBe(4)
    expect(new Set(four.flatMap(({ rtsp_port, onvif_port }) => [rtsp_port, onvif_port])).size).toBe(8)
    expect(four.every(({ host, fault }) => host === '127.0.0.1' && fault === 'none')).toBe(true)
  })

  test('keeps UUIDs and ports from run to run, apart from other installations', async () => {
    const first = start()
    const before = await first.cameras({ type: 'start', count: 2 })
    const other = await start('another').cameras({ type: 'start', count: 2, ports: portsOf(before) })
    expect(other[0]?.UUID).not.toBe(before[0]?.UUID)
    // The ports are taken: the second installation gets others.
    expect(portsOf(other)).not.toEqual(portsOf(before))
    expect(await first.cameras({ type: 'stop' })).toEqual([])
    const again = await start().cameras({ type: 'start', count: 2, ports: portsOf(before) })
    expect(again).toEqual(before)
  })

  test.skipIf(ffmpegMissing)('serves its cameras with a password that addresses must escape', async () => {
    const [camera] = await start().cameras({ type: 'start', count: 1 })
    if (!camera) throw new Error('no camera')
    expect(camera.password).toMatch(/[@:/#]/)
    const address = withCredentials(camera.stream_address, camera.username, camera.password)
    expect((await read(address, 'tcp', 2)).codec).toBe('h264')
  })

  test('switches faults, and says so when it does not know the camera', async () => {
    const { cameras, tell } = start()
    const [camera] = await cameras({ type: 'start', count: 1 })
    expect((await cameras({ type: 'fault', UUID: camera?.UUID, fault: 'stall' }))[0]?.fault).toBe('stall')
    expect(await tell({ type: 'fault', UUID: 'x', fault: 'stall' })).toMatchObject({ type: 'failed' })
  })

  test.each(['SIGTERM', 'disconnect'])('ends in order on %s', async (cause) => {
    const { child, cameras } = start()
    await cameras({ type: 'start', count: 1 })
    const ended = once(child, 'exit')
    if (cause === 'disconnect') child.disconnect()
    else child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})
