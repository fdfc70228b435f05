import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Go, type Search } from './Go.tsx'
import classes from './Health.module.css'

type Props = {
  count: number
  /** The site or the customer: `sid` or `cuid`. */
  of: Search
}

/** How many analytics need attention, as a way to them: beside the health of a site, why it is not healthy although its cameras send. */
export function NeedsAttention({ count, of }: Props) {
  const { t } = useTranslation()
  if (count === 0) return null
  return (
    <Go to="/channel" search={{ ...of, state: 'attention' }} className={classes.attention}>
      <IconAlertTriangle size={14} aria-hidden="true" />
      {t('health.analytics', { count })}
    </Go>
  )
}
