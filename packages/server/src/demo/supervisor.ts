import type { DemoCamera } from '@sightline/contract'
import type { PortalSays, ToPortal } from '@sightline/contract/supervisor'
import { Refusal } from '../refusal.ts'

/** The simulated cameras, which the start command runs: the portal asks for them over the channel to its parent. */
export type Demo = {
  /** Those that run, as last heard. */
  cameras(): readonly DemoCamera[]
  /** Whether this address belongs to one of them; only then may a loopback address be a camera. */
  isDemo(host: string, port: number): boolean
  list(): Promise<DemoCamera[]>
  start(count: number): Promise<DemoCamera[]>
  stop(): Promise<DemoCamera[]>
  fault(UUID: string, fault: DemoCamera['fault']): Promise<DemoCamera[]>
}

/** The used part of `process`; `send` is absent in a portal that no start command runs. */
export type ParentChannel = {
  send?: ((message: PortalSays) => unknown) | undefined
  on(event: 'message', listener: (message: unknown) => void): unknown
}

/** The first start on a machine renders the scenes. */
const startTimeoutMs = 180_000
const timeoutMs = 15_000

type Wish =
  | { type: 'demo.start'; count: number }
  | { type: 'demo.list' }
  | { type: 'demo.stop' }
  | { type: 'demo.fault'; UUID: string; fault: DemoCamera['fault'] }
type Waiting = { resolve(cameras: DemoCamera[]): void; reject(why: Refusal): void; timer: NodeJS.Timeout }

export function createDemo(parent: ParentChannel): Demo {
  let cameras: DemoCamera[] = []
  let lastRequest = 0
  const waiting = new Map<number, Waiting>()

  parent.on('message', (message) => {
    if (!isDemoAnswer(message)) return
    cameras = message.cameras
    const asked = message.request === undefined ? undefined : waiting.get(message.request)
    if (!asked) return
    waiting.delete(message.request as number)
    clearTimeout(asked.timer)
    if (message.error === undefined) asked.resolve(cameras)
    else asked.reject(new Refusal(503, message.error, { code: 'demo_failed' }))
  })

  function ask(wish: Wish, ms = timeoutMs): Promise<DemoCamera[]> {
    const { send } = parent
    if (!send)
      throw new Refusal(409, 'Simulated cameras run only where the portal was started by `npm start`.', {
        code: 'demo_unavailable',
      })
    const request = ++lastRequest
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(request)
        reject(new Refusal(503, 'The simulated cameras do not answer.', { code: 'demo_no_answer' }))
      }, ms)
      waiting.set(request, { resolve, reject, timer })
      send.call(parent, { ...wish, request })
    })
  }

  return {
    cameras: () => cameras,
    isDemo: (host, port) =>
      cameras.some((camera) => camera.host === host && (camera.rtsp_port === port || camera.onvif_port === port)),
    list: () => (parent.send ? ask({ type: 'demo.list' }) : Promise.resolve([])),
    start: (count) => ask({ type: 'demo.start', count }, startTimeoutMs),
    stop: () => ask({ type: 'demo.stop' }),
    fault: (UUID, fault) => ask({ type: 'demo.fault', UUID, fault }),
  }
}

const isDemoAnswer = (message: unknown): message is ToPortal =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'demo'
