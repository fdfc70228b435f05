import type { Probe } from '@sightline/contract'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { causeText } from '../../i18n/words.ts'
import classes from './cameras.module.css'

const icons = { good: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX } as const

type Props = {
  findings: Probe['findings']
  /** One of many that are tried at once: how far they are is told, each is only shown. */
  isSilent?: boolean
}

/** What a probe found: the good, what could be better, and what must be changed, each in a sentence. */
export function Findings({ findings, isSilent }: Props) {
  return (
    // The region is told as it fills; the list in it stays a list.
    <div role={isSilent ? undefined : 'status'}>
      <ul className={classes.findings}>
        {findings.map((finding) => {
          const Icon = icons[finding.level]
          return (
            <li key={`${finding.code}-${JSON.stringify(finding.args)}`} data-level={finding.level}>
              <Icon size={18} aria-hidden="true" /> <span>{causeText(finding.text_id, finding.args)}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
