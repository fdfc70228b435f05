import type { CustomerView, EventStats } from '@sightline/contract'
import { type UsecaseKey, usecaseKeys } from '@sightline/domain'
import {
  infiniteQueryOptions,
  keepPreviousData,
  type UseQueryResult,
  useInfiniteQuery,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '../../app/client.ts'
import { useTopic } from '../../live.ts'
import { restMs, withHealth } from './told-health.ts'

/** Numbers are read again this often while the page is in sight. */
export const refreshMs = 10_000

/** So many cameras come at once, by name. */
const pieceCameras = 100
/** A list cannot be read further than this. */
const furthest = 10_000
/** Reading many of them so often would be most of what the portal does. */
const seldomFrom = 60
const seldomMs = 60_000

export type Camera = CustomerView['sites'][number]['devices'][number] & { site_id: string; site_name: string }

/** A customer with the cameras that have a use case, or all of them, as far as was asked for. */
export const cameraPieces = (customer_id: string, usecase_key: UsecaseKey | undefined) =>
  infiniteQueryOptions({
    queryKey: [...api.customer.view.key(), 'pieces', { customer_id, usecase_key }],
    meta: { op: 'customer.view' },
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }) => {
      const asked = { customer_id, usecase_key, type: 1 as const, limit: pieceCameras, offset }
      const result = await api.customer.view.call(asked)
      if (!result.status) throw result.failure
      return { view: result.data, page: result.page, next: offset + pieceCameras }
    },
    getNextPageParam: ({ page, next }) =>
      next < (page?.total ?? Number.POSITIVE_INFINITY) && next <= furthest ? next : null,
  })

export const camerasOf = (view: CustomerView): Camera[] =>
  view.sites.flatMap(({ site_id, site_name, devices }) => devices.map((device) => ({ ...device, site_id, site_name })))

/** The figures of 24 hours of one use case. */
export const figuresQuery = (customer_id: string, usecase_key: UsecaseKey) => ({
  ...api.event.stats.query({ usecase_key, customer_id }),
  refetchInterval: refreshMs,
})

const inViolation = (results: UseQueryResult<EventStats>[]): string[] =>
  results.flatMap(({ data }) =>
    (data?.channels ?? []).flatMap(({ channel_id, in_violation }) => (in_violation ? [channel_id] : [])),
  )

/**
 * The cameras of a customer, the use cases on them with how many channels each has, and the channels in violation. Of many
 * cameras those come first by name, and all that are in violation; `total` says how many there are, null above 10,000.
 * @param uc the use case that was chosen; others' cameras and figures are left out
 */
export function useCustomerCameras(customer_id: string, uc: UsecaseKey | undefined) {
  const pieces = cameraPieces(customer_id, uc)
  const client = useQueryClient()
  // Many cameras are read again seldom, and one that was cut must not look as it did for so long.
  useTopic('health', ({ device_id, health }) =>
    client.setQueryData(pieces.queryKey, (before) => before && withHealth(before, device_id, health), {
      // It was not read: when that is due next stays as it is.
      updatedAt: client.getQueryState(pieces.queryKey)?.dataUpdatedAt,
    }),
  )
  const query = useInfiniteQuery({
    ...pieces,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      restMs(state, (state.data?.pages[0]?.view.totals.devices ?? 0) > seldomFrom ? seldomMs : refreshMs),
  })
  const [first] = query.data?.pages ?? []
  // The same objects as long as nothing changed: their tiles are not drawn anew.
  const read = useMemo(() => query.data?.pages.flatMap(({ view }) => camerasOf(view)) ?? [], [query.data])
  const counts = new Map(
    usecaseKeys.flatMap((key) => {
      const count = first?.view.totals.usecases.find(({ usecase_key }) => usecase_key === key)?.channels
      return count ? [[key, count]] : []
    }),
  )
  const chosen = uc && counts.has(uc) ? [uc] : [...counts.keys()]
  // Only who is in violation: figures that change are drawn by the cards alone.
  const violating = useQueries({
    queries: chosen.map((usecase_key) => figuresQuery(customer_id, usecase_key)),
    combine: inViolation,
  })
  const alarming = useMemo(() => new Set(violating), [violating])
  const known = new Set(read.flatMap(({ channels }) => channels.map(({ channel_id }) => channel_id)))
  const channel_id = violating.filter((id) => !known.has(id)).slice(0, pieceCameras)
  const further = useQuery({
    ...api.customer.view.query({ customer_id, type: 1, channel_id, limit: pieceCameras }),
    enabled: query.hasNextPage && channel_id.length > 0,
    placeholderData: keepPreviousData,
  })
  const others = further.data && channel_id.length > 0 ? camerasOf(further.data) : []
  const all = [...read, ...others.filter(({ device_id }) => !read.some((camera) => camera.device_id === device_id))]
  const has = (key: UsecaseKey) => (camera: Camera) => camera.channels.some(({ usecase_key }) => usecase_key === key)
  return {
    query,
    view: first?.view,
    all,
    cameras: uc ? all.filter(has(uc)) : all,
    total: first?.page?.total ?? (uc ? null : (first?.view.totals.devices ?? null)),
    remote: {
      hasMore: query.hasNextPage,
      isFetching: query.isFetchingNextPage,
      more: () => void query.fetchNextPage(),
    },
    counts,
    chosen,
    alarming,
  }
}
