import type { Device } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { AfterAWhile } from '../ui/Skeletons.tsx'
import classes from './channel.module.css'

export type StillPicture = {
  url: string | null
  /** Width by height of the picture; of the stream while there is none; 16:9 when neither is known. */
  ratio: number
  isTaking: boolean
  /** Fetches a newer one. */
  take: () => void
  setRatio: (ratio: number) => void
}

function ratioOf(resolution: string | null): number {
  const [width, height] = (resolution ?? '').split('x').map(Number)
  return width && height ? width / height : 16 / 9
}

/** The newest still of a camera. */
export function useStill(device: Pick<Device, 'device_id' | 'resolution'>): StillPicture {
  const view = useQuery(api.device.view.query({ device_id: device.device_id }))
  const [measured, setRatio] = useState<number | null>(null)
  return {
    url: view.data?.snapshot_url ?? null,
    ratio: measured ?? ratioOf(device.resolution),
    isTaking: view.isFetching,
    take: () => void view.refetch(),
    setRatio,
  }
}

/** The still filling its frame, or why there is none. */
export function Still({ still }: { still: StillPicture }) {
  const { t } = useTranslation()
  if (!still.url)
    return (
      <AfterAWhile>
        <p className={classes.noStill}>{still.isTaking ? t('common.loading') : t('channel.add.noStill')}</p>
      </AfterAWhile>
    )
  return (
    <img
      className={classes.still}
      src={still.url}
      alt=""
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => still.setRatio(naturalWidth / naturalHeight)}
    />
  )
}
