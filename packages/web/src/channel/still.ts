import type { Device } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../app/client.ts'

function ratioOf(resolution: string | null): number {
  const [width, height] = (resolution ?? '').split('x').map(Number)
  return width && height ? width / height : 16 / 9
}

/** The newest still of a camera, with the shape of its picture: width by height, 16:9 while that is not known. */
export function useStill(device: Pick<Device, 'device_id' | 'resolution'>): { url: string | null; ratio: number } {
  const view = useQuery(api.device.view.query({ device_id: device.device_id }))
  return { url: view.data?.snapshot_url ?? null, ratio: ratioOf(device.resolution) }
}
