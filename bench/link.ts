/** The portal's end of the link to an edge server: the product's own, with the bench in the portal's place. */

import { randomBytes } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import type { EventRecord, LinkConfig, NimbleMessage } from '@sightline/contract/edge'
import { decodeEvents } from '@sightline/contract/frame'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import { uuidv7 } from '@sightline/domain'
import { dial } from '../packages/server/src/nimble/dial.ts'
import { Link } from '../packages/server/src/nimble/link.ts'
import type { Run } from './run.ts'

export type Listener = {
  message?(message: NimbleMessage): void
  records?(records: EventRecord[]): void
}

export const newId = (): string => uuidv7(Date.now(), randomBytes(10))

export type EdgeLink = { link: Link; put(config: LinkConfig): void }

/** Connects to an edge server that trusts the first portal that comes. */
export async function connectToEdge(run: Run, port: number, listener: Listener): Promise<EdgeLink> {
  const over = new AbortController()
  const dialled = await dial({
    address: '127.0.0.1',
    port,
    timeoutMs: 10_000,
    self: { id: newId(), software: 'sightline portal', key: await openLinkKey(await createLinkKey()) },
    isLoopbackPort: () => true,
    accept: () => null,
    signal: over.signal,
  })
  const link = new Link(dialled, {
    message: (message) => listener.message?.(message),
    records(frame) {
      const { firstSeq, records } = decodeEvents(frame, (body, maxOutputLength) =>
        zstdDecompressSync(body, { maxOutputLength }),
      )
      listener.records?.(records)
      link.send({ type: 'ack', seq: firstSeq + records.length - 1 })
    },
    odd: (what) => run.say(`The edge server sent ${what}`),
    clock: () => undefined,
    closed: () => undefined,
  })
  link.send({ type: 'welcome', nimble_id: newId(), time: Date.now() })
  link.ping()
  run.atEnd(() => link.close(1000, 'the bench ends'))
  return { link, put: (config) => link.send({ type: 'config.put', config }) }
}
