import { SegmentedControl } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { clocks, setClock, shownClock } from '../i18n/format.ts'

/** By whose clock times are shown, on every screen. */
export function ClockChoice() {
  const { t } = useTranslation()
  return (
    <SegmentedControl
      size="xs"
      style={{ alignSelf: 'center' }}
      aria-label={t('common.clock.label')}
      value={shownClock()}
      onChange={setClock}
      data={clocks.map((value) => ({ value, label: t(`common.clock.${value}`) }))}
    />
  )
}
