import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Channel } from '@sightline/contract'
import type { UsecaseKey } from '@sightline/domain'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'

const typingMs = 200
/** So many cameras are offered at once; typing narrows them at the server. */
const offered = 30

type Props = {
  value: string | undefined
  uc: UsecaseKey | undefined
  siteId: string | undefined
  customerId: string | undefined
  onChange: (channelId: string | undefined) => void
}

/** One analytic of one camera, found by the camera's name. */
export function CameraChoice({ value, uc, siteId, customerId, onChange }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [q] = useDebouncedValue(typed.trim(), typingMs)
  const cameras = useQuery({
    ...api.device.list.query({
      site_id: siteId,
      customer_id: siteId ? undefined : customerId,
      q: q || undefined,
      limit: offered,
    }),
    placeholderData: keepPreviousData,
  })
  const channel = useQuery({ ...api.channel.id.query({ channel_id: value ?? '' }), enabled: Boolean(value) })
  const camera = useQuery({
    ...api.device.get.query({ device_id: channel.data?.device_id ?? '' }),
    enabled: channel.data !== undefined,
  })
  const option = (name: string, { channel_id, channel_name }: Pick<Channel, 'channel_id' | 'channel_name'>) => ({
    value: channel_id,
    label: `${name} · ${channel_name}`,
  })
  const found = (cameras.data ?? []).flatMap(({ device_name, source_channels }) =>
    source_channels.filter(({ usecase_key }) => !uc || usecase_key === uc).map((one) => option(device_name, one)),
  )
  const chosen = channel.data && camera.data ? [option(camera.data.device_name, channel.data)] : []
  return (
    <Select
      aria-label={t('event.filter.channel')}
      placeholder={t('event.filter.allChannels')}
      clearable
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The server has searched already.
      filter={({ options }) => options}
      nothingFoundMessage={t('common.nothingMatches')}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      data={[...chosen, ...found.filter((one) => one.value !== value)]}
    />
  )
}
