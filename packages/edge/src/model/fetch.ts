/** Parts of models and galleries over the link: one question at a time, answered by a frame or by the reason why there is none. */
import { linkModelPartBytes } from '@sightline/contract/edge'
import { decodeMedia } from '@sightline/contract/frame'
import type { PortalLink } from '../conversation.ts'
import { type FetchPart, FetchRefused, LinkEnded } from './store.ts'

/** For a part on the slowest line that is of use, 64 kbit/s, behind a clip. */
const answerMs = 60_000

export type PartExchange = {
  fetch: FetchPart
  /** A binary frame of the portal. */
  bytes(frame: Uint8Array): void
  none(stream: number, cause: string): void
  closed(): void
}

export function exchangeParts(link: PortalLink): PartExchange {
  type Waiting = { stream: number; resolve(bytes: Uint8Array): void; reject(error: Error): void }
  let waiting: Waiting | null = null
  let last = 0
  const settle = (stream: number, finish: (one: Waiting) => void) => {
    if (waiting?.stream !== stream) return
    const one = waiting
    waiting = null
    finish(one)
  }
  return {
    fetch: (wish, from) =>
      new Promise((resolve, reject) => {
        const stream = ++last
        const late = setTimeout(() => settle(stream, (one) => one.reject(new FetchRefused('portal_fault'))), answerMs)
        const ended = <T>(then: (value: T) => void) => {
          return (value: T) => {
            clearTimeout(late)
            then(value)
          }
        }
        waiting = { stream, resolve: ended(resolve), reject: ended(reject) }
        link.send({ ...wish, stream, from })
      }),
    bytes(frame) {
      const { stream, payload } = decodeMedia(frame)
      settle(stream, (one) => one.resolve(payload.subarray(0, linkModelPartBytes)))
    },
    none: (stream, cause) => settle(stream, (one) => one.reject(new FetchRefused(cause))),
    closed: () => waiting && settle(waiting.stream, (one) => one.reject(new LinkEnded('The link ended.'))),
  }
}
