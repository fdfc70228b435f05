import type { UsecaseKey } from '@sightline/domain'
import { useTranslation } from 'react-i18next'
import classes from './UsecasePills.module.css'

type Props = {
  /** Channels of each use case. */
  counts: ReadonlyMap<UsecaseKey, number>
  value: UsecaseKey | undefined
  onChange: (next: UsecaseKey | undefined) => void
}

/** One use case, or all: each with how many channels have it. */
export function UsecasePills({ counts, value, onChange }: Props) {
  const { t } = useTranslation()
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return (
    <fieldset className={classes.pills}>
      <legend className="sr">{t('dashboard.usecases')}</legend>
      <Pill label={t('dashboard.all')} count={total} isOn={!value} onClick={() => onChange(undefined)} />
      {[...counts].map(([key, count]) => (
        <Pill
          key={key}
          label={t(`usecase.name.${key}`)}
          count={count}
          isOn={value === key}
          onClick={() => onChange(key)}
        />
      ))}
    </fieldset>
  )
}

function Pill({ label, count, isOn, onClick }: { label: string; count: number; isOn: boolean; onClick: () => void }) {
  return (
    <button type="button" className={classes.pill} aria-pressed={isOn} onClick={onClick}>
      {label} <span className="num">{count}</span>
    </button>
  )
}
