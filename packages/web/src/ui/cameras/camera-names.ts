import { useQueries } from '@tanstack/react-query'
import { api } from '../../app/client.ts'

/** Cameras seldom change their names. */
const staleMs = 300_000

/** Names of the cameras that a list speaks of, without reading all there are. */
export function useCameraNames(deviceIds: readonly string[]): (deviceId: string) => string | undefined {
  const ids = [...new Set(deviceIds)]
  const found = useQueries({
    queries: ids.map((device_id) => ({
      ...api.device.get.query({ device_id }),
      staleTime: staleMs,
      // One that was deleted has left its events.
      meta: { op: 'device.get' as const, quiet: true },
      retry: false,
    })),
  })
  return (id) => found[ids.indexOf(id)]?.data?.device_name
}
