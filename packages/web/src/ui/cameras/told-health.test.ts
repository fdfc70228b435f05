import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { restMs, withHealth } from './told-health.ts'

type Pieces = Parameters<typeof withHealth>[0]
const pieces = {
  pageParams: [0],
  pages: [
    {
      view: {
        sites: [
          {
            devices: [
              { device_id: 'a', device_health: 'healthy' },
              { device_id: 'b', device_health: 'healthy' },
            ],
          },
        ],
      },
    },
  ],
} as unknown as Pieces

test('the health of a camera changes that camera alone, and nothing where it says no news', () => {
  const devices = (of: Pieces | undefined) => of?.pages[0]?.view.sites[0]?.devices
  const changed = devices(withHealth(pieces, 'a', 'offline'))
  expect(changed?.map(({ device_health }) => device_health)).toEqual(['offline', 'healthy'])
  expect(changed?.[1]).toBe(devices(pieces)?.[1])
  expect(withHealth(pieces, 'a', 'healthy')).toBeUndefined()
  expect(withHealth(pieces, 'elsewhere', 'offline')).toBeUndefined()
})

beforeEach(() => {
  // Without a window nothing is read again by itself.
  environmentManager.setIsServer(() => false)
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())

/** How often it is read in ten minutes, once a minute, while one writes into it every five seconds. */
async function readsOf(queryFn: () => Promise<number>): Promise<number> {
  const client = new QueryClient()
  let reads = 0
  const observer = new QueryObserver(client, {
    queryKey: ['list'],
    queryFn: () => {
      reads++
      return queryFn()
    },
    retry: false,
    refetchInterval: ({ state }) => restMs(state, 60_000),
    refetchIntervalInBackground: true,
  })
  const stop = observer.subscribe(() => undefined)
  for (let s = 0; s < 600; s += 5) {
    await vi.advanceTimersByTimeAsync(5000)
    client.setQueryData<number>(['list'], (before) => before && before + 1, {
      updatedAt: client.getQueryState(['list'])?.dataUpdatedAt,
    })
  }
  stop()
  client.clear()
  return reads
}

test('a list is read again in its time, however often a camera tells its health meanwhile', async () => {
  const reads = await readsOf(async () => 1)
  expect(reads).toBeGreaterThanOrEqual(10)
  expect(reads).toBeLessThanOrEqual(11)
})

test('a list that cannot be read is asked for no more often', async () => {
  const reads = await readsOf(() => Promise.reject(new Error('away')))
  expect(reads).toBeGreaterThanOrEqual(10)
  expect(reads).toBeLessThanOrEqual(11)
})
