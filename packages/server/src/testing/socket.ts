/** A browser's end of one WebSocket of the portal. */
import { once } from 'node:events'
import type { StreamFrame, StreamMessage } from '@sightline/contract'
import { WebSocket } from 'ws'
import type { Client, TestApp } from './app.ts'

export type TestSocket<Message> = {
  /** All text messages so far. */
  messages: Message[]
  /** All binary frames so far. */
  frames: Buffer[]
  /** Resolves with the first message, old or new, that fits. */
  message(fits: (message: Message) => boolean): Promise<Message>
  /** Resolves with the first binary frame, old or new, that fits. */
  frame(fits: (frame: Buffer) => boolean): Promise<Buffer>
  /** Code and reason, once it is closed. */
  closed: Promise<{ code: number; reason: string }>
  close(): Promise<void>
}

/** Opens a socket as a page of the portal does. @param path below the API base, with its query */
export const openSocket = <Message>(t: TestApp, client: Client, path: string): Promise<TestSocket<Message>> =>
  open(t, client, path, (message: Message) => [message])

/** Opens the stream, and takes its frames apart. @param after the cursor of an earlier connection */
export async function openStream(
  t: TestApp,
  client: Client,
  after?: string,
): Promise<TestSocket<StreamMessage> & { cursor(): string }> {
  let cursor = ''
  const socket = await open(
    t,
    client,
    after === undefined ? '/stream' : `/stream?after=${after}`,
    (frame: StreamFrame) => {
      cursor = frame.cursor
      return frame.messages
    },
  )
  return { ...socket, cursor: () => cursor }
}

async function open<Frame, Message>(
  t: TestApp,
  client: Client,
  path: string,
  messagesOf: (frame: Frame) => Message[],
): Promise<TestSocket<Message>> {
  const origin = await t.listen()
  const ws = new WebSocket(`${origin.replace('http', 'ws')}${t.services.env.apiBase}${path}`, {
    headers: { origin, ...(client.cookie ? { cookie: client.cookie } : {}) },
  })
  const messages: Message[] = []
  const frames: Buffer[] = []
  let changed = Promise.withResolvers<void>()
  const arrived = () => {
    const before = changed
    changed = Promise.withResolvers()
    before.resolve()
  }
  ws.on('message', (data: Buffer, isBinary) => {
    if (isBinary) frames.push(data)
    else messages.push(...messagesOf(JSON.parse(data.toString())))
    arrived()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  ws.on('error', () => undefined)
  await Promise.race([once(ws, 'open'), closed])

  async function first<T>(list: T[], fits: (item: T) => boolean): Promise<T> {
    for (;;) {
      const waiting = changed.promise
      const found = list.find(fits)
      if (found !== undefined) return found
      await waiting
    }
  }
  return {
    messages,
    frames,
    message: (fits) => first(messages, fits),
    frame: (fits) => first(frames, fits),
    closed,
    async close() {
      ws.close()
      await closed
    },
  }
}
