import { useTranslation } from 'react-i18next'
import classes from './Diff.module.css'
import type { DiffLine } from './diff.ts'

type Props = { lines: readonly DiffLine[]; label: string }

/** Two texts in one, line by line: what was removed, what was added. */
export function Diff({ lines, label }: Props) {
  const { t } = useTranslation()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.root} aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same line may stand twice
        <div key={index} data-kind={kind}>
          <span aria-hidden="true">{kind === 'added' ? '+ ' : kind === 'removed' ? '− ' : '  '}</span>
          {kind !== 'same' && <span className="sr">{t(`common.diff.${kind}`)}</span>}
          {text}
        </div>
      ))}
    </section>
  )
}
