import type { EventsKept } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { formatDate, shownZone } from '../i18n/format.ts'

/** Said where a period begins before the first single event that is still kept. */
export function KeptFrom({ data: { start, kept_from, timezone } }: { data: EventsKept }) {
  const { t } = useTranslation()
  if (kept_from === null || start >= kept_from) return null
  return <p className="t2">{t('event.keptFrom', { date: formatDate(kept_from, shownZone(timezone)) })}</p>
}
