/** One connection to a camera: its process from beginning to end, a watch over it, and what is asked of it. */
import { createSilence } from '../silence.ts'
import { type CameraCause, CameraError } from './cause.ts'
import type { FromChild, ToChild } from './messages.ts'
import { startCameraProcess } from './process.ts'

export type Snapshot = { jpeg: Buffer; at: number }

export type Ending = {
  /** `transport`: the camera refuses this way of sending. */
  cause: CameraCause | 'transport'
  /** How long there was a picture. */
  ranMs: number
}

export type Connection = {
  pid: number | undefined
  tell(message: ToChild): void
  /** The newest picture in full size. Rejects with a `CameraError`. */
  snapshot(): Promise<Snapshot>
  /** Settles once, never rejects. */
  ended: Promise<Ending>
  close(): Promise<void>
}

/** How long a camera may go on without what it should send. */
export type Patience = {
  /** Nothing comes. */
  silenceMs: number
  /** Packets come, but no key frame: longer than any sane group of pictures. */
  keylessMs: number
  /** Packets come, but pictures do not any more: something else than before is sent. */
  pictureLessMs: number
}
export const patience: Patience = { silenceMs: 10_000, keylessMs: 60_000, pictureLessMs: 15_000 }

const snapshotMs = 5000
const watchMs = 500

/**
 * @param onMessage gets nothing after the end
 * @param log gets what a process that crashed has said
 */
export function openConnection(
  open: Extract<ToChild, { type: 'open' }>,
  onMessage: (message: FromChild) => void,
  log: (text: string) => void,
  { silenceMs, keylessMs, pictureLessMs }: Patience = patience,
): Connection {
  const openedAt = performance.now()
  const silence = createSilence(silenceMs)
  const pictureLess = createSilence(pictureLessMs)
  let pictureSince: number | null = null
  let hasEnded = false
  const asked = new Map<number, PromiseWithResolvers<Snapshot>>()
  let questions = 0
  const ended = Promise.withResolvers<Ending>()

  const end = (cause: Ending['cause']) => {
    if (hasEnded) return
    hasEnded = true
    clearInterval(watchdog)
    for (const { reject } of asked.values()) reject(new CameraError(cause === 'transport' ? 'no_stream' : cause))
    ended.resolve({ cause, ranMs: pictureSince === null ? 0 : performance.now() - pictureSince })
  }
  const kill = (cause: Ending['cause']) => {
    child.kill()
    end(cause)
  }
  const child = startCameraProcess(
    (message) => {
      if (hasEnded) return
      if (message.type === 'failed') return kill(message.cause)
      if (message.type === 'units' || message.type === 'not_yet') silence.heard()
      if (message.type === 'units') pictureLess.heard()
      if (message.type === 'units' && message.units.some(({ key }) => key)) pictureSince ??= performance.now()
      if (message.type === 'jpeg') asked.get(message.id)?.resolve({ jpeg: message.jpeg, at: message.at })
      onMessage(message)
    },
    (complaint) => {
      if (complaint !== '') log(`The process of a camera ended: ${complaint}`)
      end('decoder_crashed')
    },
  )
  // A blocked read cannot be interrupted from within: the cure is to end the process.
  const watchdog = setInterval(() => {
    const isSilent = silence.isTooLong()
    if (pictureLess.isTooLong() && pictureSince !== null && !isSilent) return kill('bad_stream')
    const isKeyless = pictureSince === null && performance.now() - openedAt >= keylessMs
    if (isSilent || isKeyless) kill('stalled')
  }, watchMs)
  child.tell(open)

  return {
    pid: child.pid,
    tell: child.tell,
    ended: ended.promise,
    snapshot: () => {
      if (hasEnded) return Promise.reject(new CameraError('cut'))
      questions += 1
      const id = questions
      const answer = Promise.withResolvers<Snapshot>()
      asked.set(id, answer)
      const late = setTimeout(() => answer.reject(new CameraError('timeout')), snapshotMs)
      child.tell({ type: 'jpeg', id })
      return answer.promise.finally(() => {
        clearTimeout(late)
        asked.delete(id)
      })
    },
    async close() {
      await child.close()
      end('cut')
    },
  }
}
