import type { CustomerView } from '@sightline/contract'
import { type UsecaseKey, usecaseKeys } from '@sightline/domain'
import { useQueries, useQuery } from '@tanstack/react-query'
import { api } from '../../app/client.ts'

/** Numbers are read again this often while the page is in sight. */
export const refreshMs = 10_000

/** So many cameras are followed at once; of more, these are the first by name. */
const mostCameras = 200
/** Reading many of them so often would be most of what the portal does. */
const seldomFrom = 60
const seldomMs = 60_000

export type Camera = CustomerView['sites'][number]['devices'][number] & { site_id: string; site_name: string }

export const customerView = (customer_id: string) =>
  api.customer.view.query({ customer_id, type: 1, limit: mostCameras })

const camerasOf = (view: CustomerView): Camera[] =>
  view.sites.flatMap(({ site_id, site_name, devices }) => devices.map((device) => ({ ...device, site_id, site_name })))

/**
 * The cameras of a customer, the use cases on them with how many channels each has, and the figures of 24 hours.
 * @param uc the use case that was chosen; others' cameras and figures are left out
 */
export function useCustomerCameras(customer_id: string, uc: UsecaseKey | undefined) {
  const view = useQuery({
    ...customerView(customer_id),
    refetchInterval: ({ state }) => ((state.data?.totals.devices ?? 0) > seldomFrom ? seldomMs : refreshMs),
  })
  const all = view.data ? camerasOf(view.data) : []
  const channels = all.flatMap((camera) => camera.channels)
  const counts = new Map(
    usecaseKeys.flatMap((key) => {
      const count = channels.filter(({ usecase_key }) => usecase_key === key).length
      return count > 0 ? [[key, count]] : []
    }),
  )
  const chosen = uc && counts.has(uc) ? [uc] : [...counts.keys()]
  const stats = useQueries({
    queries: chosen.map((usecase_key) => ({
      ...api.event.stats.query({ usecase_key, customer_id }),
      refetchInterval: refreshMs,
    })),
  })
  const has = (key: UsecaseKey) => (camera: Camera) => camera.channels.some(({ usecase_key }) => usecase_key === key)
  return { view, all, cameras: uc ? all.filter(has(uc)) : all, counts, chosen, stats }
}
