/** Cameras that went and came back, told in one line however many they are. */
import type { StreamMessage } from '@sightline/contract'

type Outage = Extract<StreamMessage, { type: 'outage' }>

/** What a line tells; one camera is named, of several their number. */
export type Told = { step: Outage['step']; cameras: readonly Outage[] }

/**
 * What the rules of the sites had to tell while messages were collected. The last of each camera counts: one that went
 * and came back meanwhile is back.
 */
export function toldOf(collected: readonly Outage[]): Told[] {
  const last = [...new Map(collected.map((message) => [message.device_id, message])).values()]
  return (['offline', 'lasting', 'back'] as const).flatMap((step) => {
    const cameras = last.filter((message) => message.step === step)
    return cameras.length > 0 ? [{ step, cameras }] : []
  })
}
