import { useSuspenseQuery } from '@tanstack/react-query'
import { api, queryClient } from '../app/client.ts'

type Ids = { cid: string; uid: string; did: string }

/** What a channel screen needs: the channel by its use case, its device, and the site for its clock. */
export async function loadChannel({ cid, uid, did }: Ids): Promise<void> {
  const [device] = await Promise.all([
    queryClient.ensureQueryData(api.device.get.query({ device_id: did })),
    queryClient.ensureQueryData(api.channel.usecase.query({ channel_id: cid, usecase_id: uid })),
  ])
  await queryClient.ensureQueryData(api.site.get.query({ site_id: device.site_id }))
}

export function useChannel({ cid, uid, did }: Ids) {
  const { data: device } = useSuspenseQuery(api.device.get.query({ device_id: did }))
  const { data: channel } = useSuspenseQuery(api.channel.usecase.query({ channel_id: cid, usecase_id: uid }))
  const { data: site } = useSuspenseQuery(api.site.get.query({ site_id: device.site_id }))
  return { device, channel, timezone: site.site_address.site_timezone }
}
