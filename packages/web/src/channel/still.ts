import type { Device } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../app/client.ts'

function shapeOf(resolution: string | null): number {
  const [width, height] = (resolution ?? '').split('x').map(Number)
  return width && height ? width / height : 16 / 9
}

type Still = {
  url: string | null
  /**
   * The shape of the pictures that an analytic gets from a stream: width by height; without one, or while its own is not
   * known, of the default stream, and 16:9 while that is not known either.
   */
  ratioOf(sourceId?: string): number
}

/** The newest still of a camera, with the shapes of its streams. */
export function useStill(device: Device): Still {
  const view = useQuery(api.device.view.query({ device_id: device.device_id }))
  return {
    url: view.data?.snapshot_url ?? null,
    ratioOf(sourceId) {
      const stream = view.data?.sources.find(({ source_id }) => source_id === sourceId)
      return shapeOf(stream?.resolution ?? device.resolution)
    },
  }
}
