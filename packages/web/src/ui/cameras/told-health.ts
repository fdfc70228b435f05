/** The health of cameras as it is told between two readings of their list. */
import type { CustomerView, Health } from '@sightline/contract'
import type { InfiniteData, QueryState } from '@tanstack/react-query'

/** What is overdue, as the page was out of sight. */
const soonMs = 1000

type Piece = { view: CustomerView }

/**
 * The pieces with the health of one camera as it is told, and the same objects for all others; undefined where they say
 * so already, or have no such camera.
 */
export const withHealth = <P extends Piece>(pieces: InfiniteData<P>, deviceId: string, health: Health) =>
  pieces.pages.some(({ view }) =>
    view.sites.some(({ devices }) =>
      devices.some(({ device_id, device_health }) => device_id === deviceId && device_health !== health),
    ),
  )
    ? changedHealth(pieces, deviceId, health)
    : undefined

const changedHealth = <P extends Piece>(pieces: InfiniteData<P>, deviceId: string, health: Health) => ({
  ...pieces,
  pages: pieces.pages.map((page) => ({
    ...page,
    view: {
      ...page.view,
      sites: page.view.sites.map((site) =>
        site.devices.some(({ device_id }) => device_id === deviceId)
          ? {
              ...site,
              devices: site.devices.map((device) =>
                device.device_id === deviceId ? { ...device, device_health: health } : device,
              ),
            }
          : site,
      ),
    },
  })),
})

/** How long until what is read every `everyMs` is read again. Whatever changes it meanwhile starts its timer anew. */
export function restMs(
  state: Pick<QueryState, 'fetchStatus' | 'dataUpdatedAt' | 'errorUpdatedAt'>,
  everyMs: number,
): number {
  if (state.fetchStatus !== 'idle') return everyMs
  const sinceMs = Date.now() - Math.max(state.dataUpdatedAt, state.errorUpdatedAt)
  return Math.min(everyMs, Math.max(soonMs, everyMs - sinceMs))
}
