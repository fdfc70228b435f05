import { Button, Group } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { formatTime } from '../i18n/format.ts'
import { metricText } from '../i18n/words.ts'
import { type Change, type EventSearch, type FilterId, filtersOf, noFilter, without } from './search.ts'

type Props = {
  search: EventSearch
  set: Change
  /** By whose clock times are told; undefined: the browser's. */
  zone: string | undefined
  /** What is listed is chosen elsewhere, and says nothing here. */
  isGallery?: boolean
}

/** Every filter of the address, also those that no field above shows, each to be taken away. */
export function FilterChips({ search, set, zone, isGallery }: Props) {
  const { t } = useTranslation()
  const chips = useRef<HTMLDivElement>(null)
  const { cid, sid, uc, key, show, from, to } = search
  const site = useQuery({ ...api.site.get.query({ site_id: sid ?? '' }), enabled: Boolean(sid) })
  const channel = useQuery({ ...api.channel.id.query({ channel_id: cid ?? '' }), enabled: Boolean(cid) })
  const filters = filtersOf(search).filter((id) => id !== 'show' || !isGallery)
  if (filters.length === 0) return null
  const words: Record<FilterId, () => string> = {
    sid: () => site.data?.site_name ?? '–',
    uc: () => (uc ? t(`usecase.name.${uc}`) : ''),
    cid: () => channel.data?.channel_name ?? '–',
    key: () => (key ? metricText(key, uc) : ''),
    show: () => (show ? t(`event.show.${show}`) : ''),
    period: () => (from && to ? [from, to].map((at) => formatTime(at, zone).slice(0, 16)).join(' – ') : ''),
  }
  return (
    <Group ref={chips} gap={6} mb="md" role="group" aria-label={t('event.filter.chips')}>
      {filters.map((id, index) => {
        const text = t('common.pair', { name: t(`event.filter.chip.${id}`), text: words[id]() })
        return (
          <Button
            key={id}
            variant="default"
            size="compact-sm"
            radius="xl"
            maw="100%"
            fw={500}
            rightSection={<IconX size={14} aria-hidden="true" />}
            aria-label={t('event.filter.remove', { filter: text })}
            onClick={() => {
              // The one that is pressed goes: the keyboard goes on at its neighbour.
              const next = index + 1 < filters.length ? index + 1 : index - 1
              const others = chips.current?.querySelectorAll('button')
              ;(next < 0 ? document.getElementById('main') : others?.[next])?.focus()
              set(without(id))
            }}
          >
            {text}
          </Button>
        )
      })}
      {filters.length > 1 && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            // It goes with them.
            document.getElementById('main')?.focus()
            set(noFilter)
          }}
        >
          {t('common.clearFilters')}
        </Button>
      )}
    </Group>
  )
}
