import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/client.ts'
import { type Camera, refreshMs } from './customer-cameras.ts'

type Pictured = Pick<Camera, 'device_id' | 'channels' | 'device_health' | 'snapshot_url'>

/**
 * A new still every few seconds while an analytic looks, now and then otherwise; the last one known when there is no picture.
 * @param isSeen false where nobody looks at it: nothing is asked for then
 */
export function useStill({ device_id, channels, device_health, snapshot_url }: Pictured, isSeen: boolean) {
  const [first] = channels
  const isWanted = isSeen && device_health === 'healthy'
  const newest = useQuery({
    ...api.channel.ondemand.query({ channel_id: first?.channel_id ?? '' }),
    meta: { op: 'channel.ondemand', quiet: true },
    enabled: isWanted && first !== undefined,
    refetchInterval: refreshMs,
    retry: false,
  })
  const view = useQuery({ ...api.device.view.query({ device_id }), enabled: isWanted && first === undefined })
  return newest.data?.kind === 'snapshot' ? newest.data.snapshot_url : (view.data?.snapshot_url ?? snapshot_url)
}
