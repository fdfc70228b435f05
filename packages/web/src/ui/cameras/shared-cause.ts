/** What ails several analytics of a camera alike is the camera's: it is said once. */

type Ailing = { channel_health: string; state_cause: string | null }

const isIll = ({ channel_health }: Ailing) => channel_health === 'offline' || channel_health === 'needs attention'
/** How much differs from one report to the next; why does not. */
const why = (cause: string) => cause.replace(/:\d+$/, '')

/** Causes that several pieces of a camera name alike, each in the words of the first. */
export const repeatedCauses = (causes: readonly (string | null)[]): string[] =>
  [
    ...Map.groupBy(
      causes.filter((cause) => cause !== null),
      why,
    ).values(),
  ].flatMap((alike) => (alike.length > 1 ? alike.slice(0, 1) : []))
export const isAmong = (causes: readonly string[], cause: string | null): boolean =>
  cause !== null && causes.some((one) => why(one) === why(cause))

/** What every one of these analytics suffers from; null where one does not, or where they differ. */
export function commonCause(channels: readonly Pick<Ailing, 'state_cause'>[]): string | null {
  const [first = null, ...others] = new Set(channels.map(({ state_cause }) => state_cause && why(state_cause)))
  return first !== null && others.length === 0 ? (channels[0]?.state_cause ?? null) : null
}

/** Ill analytics of one camera by what ails them; those of unknown cause one by one. @param camera its own cause, which says enough */
export function byCause<T extends Ailing>(channels: readonly T[], camera: string | null): T[][] {
  const groups = new Map<string | T, T[]>()
  for (const channel of channels) {
    const { state_cause } = channel
    if (!isIll(channel) || (state_cause && camera && why(state_cause) === why(camera))) continue
    const key = state_cause === null ? channel : why(state_cause)
    groups.set(key, [...(groups.get(key) ?? []), channel])
  }
  return [...groups.values()]
}
