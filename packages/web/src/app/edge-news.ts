/** Edge servers that went and came back, from one look at their states to the next. */
import type { Nimble } from '@sightline/contract'

const stateOf = ({ status }: Nimble) => status?.state

/**
 * @param before ids of those that were down at the last look
 * @returns those that are down now, those that came back, and whom to remember: who is being tried is not back yet
 */
export function edgeNews(before: ReadonlySet<string>, edges: readonly Nimble[]) {
  const isDown = (edge: Nimble) => stateOf(edge) === 'unreachable' || stateOf(edge) === 'refused'
  const wasDown = ({ nimble_id }: Nimble) => before.has(nimble_id)
  return {
    down: edges.filter(isDown),
    back: edges.filter((edge) => wasDown(edge) && stateOf(edge) === 'online'),
    remembered: new Set(
      edges
        .filter((edge) => isDown(edge) || (wasDown(edge) && stateOf(edge) === 'connecting'))
        .map(({ nimble_id }) => nimble_id),
    ),
  }
}
