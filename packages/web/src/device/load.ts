import type { Site } from '@sightline/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { api, queryClient } from '../app/client.ts'
import { edgeQuery } from '../app/edge.ts'

/** What a camera's screen needs: the camera, its site, and the edge servers. */
export async function loadDevice(did: string): Promise<void> {
  const device = await queryClient.ensureQueryData(api.device.get.query({ device_id: did }))
  await Promise.all([
    queryClient.ensureQueryData(api.site.get.query({ site_id: device.site_id })),
    queryClient.ensureQueryData(edgeQuery()),
  ])
}

export function useDevice(did: string) {
  const { data: device } = useSuspenseQuery(api.device.get.query({ device_id: did }))
  const { data: site } = useSuspenseQuery(api.site.get.query({ site_id: device.site_id }))
  return { device, site }
}

/** What adding cameras to a site needs: the site, then the edge servers. */
export async function loadSite(sid: string): Promise<void> {
  await queryClient.ensureQueryData(api.site.get.query({ site_id: sid }))
  await queryClient.ensureQueryData(edgeQuery())
}

export const useSite = (sid: string) => useSuspenseQuery(api.site.get.query({ site_id: sid })).data
/** The edge servers that may read the cameras of a site: those of its organization. */
export function useNimbles({ organization_id }: Site) {
  const { data } = useSuspenseQuery(edgeQuery())
  return data.filter((one) => one.organization_id === organization_id)
}
