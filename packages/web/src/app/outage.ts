/** Cameras that go and come back, told in one line however many they are. */
import type { StreamMessage } from '@sightline/contract'

type HealthMessage = Extract<StreamMessage, { type: 'health' }>

/** What a line tells; one camera is named, of several their number. */
export type Told = { kind: 'offline' | 'back'; cameras: readonly HealthMessage[] }

/**
 * What happened while messages were collected. The last of each camera counts: one that went and came back meanwhile
 * is back. That an edge server is away has a line of its own in the banner, and its cameras none.
 */
export function toldOf(collected: readonly HealthMessage[]): Told[] {
  const last = [...new Map(collected.map((message) => [message.device_id, message])).values()]
  const of = (kind: Told['kind'], has: (message: HealthMessage) => boolean): Told[] => {
    const cameras = last.filter(has)
    return cameras.length > 0 ? [{ kind, cameras }] : []
  }
  return [
    ...of('offline', ({ health }) => health === 'offline'),
    ...of('back', ({ health, outage_seconds }) => health === 'healthy' && outage_seconds !== null),
  ]
}
