/** Simulated cameras in a process of their own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { DemoCamera } from '@sightline/contract'
import type { SimcamSays } from '@sightline/contract/supervisor'

const program = fileURLToPath(new URL('../../../simcam/src/main.ts', import.meta.url))

export type TestCamera = {
  camera: DemoCamera
  /** Sends it to the process of the cameras, and answers what comes back. */
  ask(message: object): Promise<DemoCamera[]>
  hosts: { host: string; ports: number[] }[]
  stop(): void
}

export async function startTestCamera(): Promise<TestCamera> {
  const child = fork(program, { execArgv: [] })
  const ask = async (message: object) => {
    const answer = once(child, 'message')
    child.send(message)
    const [said] = (await answer) as [SimcamSays]
    if (said.type === 'failed') throw new Error(said.sentence)
    return said.cameras
  }
  const camera = (await ask({ type: 'start', count: 1 }))[0] as DemoCamera
  return {
    camera,
    ask,
    hosts: [{ host: camera.host, ports: [camera.rtsp_port, camera.onvif_port] }],
    stop: () => child.disconnect(),
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((closed) => server.close(closed))
  return port
}
