import type { Device, Zone } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/client.ts'

export type Masks = {
  /** Those of the camera, of all its streams and analytics. */
  masks: readonly Zone[]
  error: Error | null
  retry(): void
}

/** What is hidden of a camera, whoever drew it. */
export function useMasks({ device_id }: Pick<Device, 'device_id'>): Masks {
  const { data = [], isLoadingError, error, refetch } = useQuery(api.static.list.query({ device_id }))
  return {
    masks: data.filter(({ kind }) => kind === 'mask'),
    error: isLoadingError ? error : null,
    retry: () => void refetch(),
  }
}
