import { useState } from 'react'
import { useTopic } from '../../live.ts'

/** Channel id → its newest live numbers, as the stream brings them. */
export type Levels = Readonly<Record<string, Readonly<Record<string, number>>>>

export function useLevels(): Levels {
  const [levels, setLevels] = useState<Levels>({})
  useTopic('event', ({ channel_id, levels: changed }) =>
    setLevels((now) => ({ ...now, [channel_id]: { ...now[channel_id], ...changed } })),
  )
  return levels
}
