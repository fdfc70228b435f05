import type { ImportColumn, ImportOutcome } from '@sightline/contract'
import { useTranslation } from 'react-i18next'
import { fieldText } from '../../i18n/words.ts'
import { Tag } from '../../ui/Health.tsx'
import type { Tone } from '../../ui/tone.ts'

const tones: Record<ImportOutcome['outcome'], Tone> = {
  valid: 'info',
  created: 'ok',
  skipped: 'neutral',
  failed: 'bad',
}

export function OutcomeTag({ outcome }: { outcome: ImportOutcome['outcome'] }) {
  const { t } = useTranslation()
  return <Tag tone={tones[outcome]}>{t(`bulk.outcome.${outcome}`)}</Tag>
}

/** What is wrong with a row, in words: the column, then the reason. */
export function useProblems() {
  const { t } = useTranslation()
  return ({ outcome, errors }: ImportOutcome): string[] =>
    outcome === 'skipped'
      ? [t('bulk.already')]
      : Object.entries(errors).flatMap(([field, ids]) =>
          ids.map((id) => t('common.pair', { name: t(`bulk.column.${field as ImportColumn}`), text: fieldText(id) })),
        )
}
