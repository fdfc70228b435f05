import { useRef, useState } from 'react'
import { useTopic } from '../../live.ts'

/** Channel id → its newest live numbers, as the stream brings them. */
export type Levels = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Of a hundred channels some tell something at any moment: what comes within this time is drawn together. */
const togetherMs = 200

export function useLevels(): Levels {
  const [levels, setLevels] = useState<Levels>({})
  const waiting = useRef<Record<string, Record<string, number>> | null>(null)
  const draw = () => {
    const changed = waiting.current ?? {}
    waiting.current = null
    setLevels((now) => {
      const next = { ...now }
      for (const [channelId, own] of Object.entries(changed)) next[channelId] = { ...now[channelId], ...own }
      return next
    })
  }
  useTopic('event', ({ channel_id, levels: changed }) => {
    if (!waiting.current) setTimeout(draw, togetherMs)
    waiting.current ??= {}
    waiting.current[channel_id] = { ...waiting.current[channel_id], ...changed }
  })
  return levels
}
