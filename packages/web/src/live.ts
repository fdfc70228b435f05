/** One WebSocket to `/stream` for the whole app: subscription by topic, reconnect with growing waits, reread after a gap. */
import type { StreamFrame, StreamMessage } from '@sightline/contract'
import { useEffect, useEffectEvent } from 'react'
import { createStore } from './store.ts'

export type Topic = StreamMessage['type']
type OfTopic<T extends Topic> = Extract<StreamMessage, { type: T }>
type Listener = (message: StreamMessage) => void

export type StreamState = 'closed' | 'connecting' | 'open'
export const streamState = createStore<StreamState>('closed')

const firstWaitMs = 500
const longestWaitMs = 30_000

/** Wait before attempt n (from 0): doubled each time, at most 30 s, and half of it by chance so that not all come back at once. */
export const reconnectWait = (attempt: number, random: number): number => {
  const whole = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt)
  return whole / 2 + (whole / 2) * random
}

const listeners = new Map<Topic, Set<Listener>>()
let socket: WebSocket | null = null
let timer: ReturnType<typeof setTimeout> | undefined
let attempt = 0
/** Of the newest frame: with it the portal tells what was missed meanwhile. */
let cursor: string | null = null
let wanted: { url: string; onReopen: () => void } | null = null

export function subscribe<T extends Topic>(topic: T, listener: (message: OfTopic<T>) => void): () => void {
  const set = listeners.get(topic) ?? new Set()
  listeners.set(topic, set.add(listener as Listener))
  return () => set.delete(listener as Listener)
}

/** Runs `listener` for each message of a topic while the component is there. */
export function useTopic<T extends Topic>(topic: T, listener: (message: OfTopic<T>) => void): void {
  const latest = useEffectEvent(listener)
  useEffect(() => subscribe(topic, (message) => latest(message)), [topic])
}

function connect(isAgain: boolean): void {
  if (!wanted) return
  const { url, onReopen } = wanted
  const mine = new WebSocket(cursor === null ? url : `${url}?after=${encodeURIComponent(cursor)}`)
  socket = mine
  streamState.set('connecting')
  mine.onopen = () => {
    attempt = 0
    streamState.set('open')
  }
  mine.onmessage = ({ data }) => {
    if (socket !== mine) return
    const frame = JSON.parse(String(data)) as StreamFrame
    cursor = frame.cursor
    for (const message of frame.messages) {
      // It was away too long for the portal to tell what was missed.
      if (message.type === 'hello' && isAgain && !message.resumed) onReopen()
      for (const listener of listeners.get(message.type) ?? []) listener(message)
    }
  }
  mine.onclose = () => {
    if (socket !== mine) return
    streamState.set('closed')
    timer = setTimeout(() => connect(true), reconnectWait(attempt++, Math.random()))
  }
}

/** Opens the stream and keeps it open until `closeStream`. `onReopen` rereads what is on screen after messages were missed. */
export function openStream(url: string, onReopen: () => void): void {
  if (wanted?.url === url) return
  closeStream()
  wanted = { url, onReopen }
  connect(false)
}

export function closeStream(): void {
  wanted = null
  cursor = null
  attempt = 0
  clearTimeout(timer)
  socket?.close()
  socket = null
  streamState.set('closed')
}

/** WebSocket address of an API path on the page's origin. */
export const socketUrl = (path: string): string => `${location.origin.replace(/^http/, 'ws')}${path}`
