import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { streamState } from '../live.ts'
import { useStore } from '../store.ts'
import { StatusDot } from '../ui/Health.tsx'
import type { Tone } from '../ui/tone.ts'
import { useEdge } from './edge.ts'
import classes from './Footer.module.css'
import { statusQuery } from './ServerWatch.tsx'

/** Version, and a dot for each module; a module that is not set up is neutral, not red. */
export function Footer() {
  const { t } = useTranslation()
  const { data: status, isError } = useQuery(statusQuery())
  const stream = useStore(streamState)
  const edge = useEdge()
  const dots: [label: string, tone: Tone, word: string][] = [
    [t('shell.modules.api'), isError ? 'bad' : 'ok', isError ? t('shell.moduleState.off') : t('shell.moduleState.on')],
    isError
      ? unknown(t('shell.modules.live'))
      : [
          t('shell.modules.live'),
          stream === 'open' ? 'ok' : 'warn',
          stream === 'open' ? t('shell.moduleState.on') : t('shell.moduleState.off'),
        ],
    module(t('shell.modules.mail'), status?.smtp_module),
    module(t('shell.modules.sms'), status?.sms_module),
  ]
  function unknown(label: string): [string, Tone, string] {
    return [label, 'neutral', t('common.unknown')]
  }
  function module(label: string, isOn: boolean | undefined): [string, Tone, string] {
    if (isError) return unknown(label)
    return [label, isOn ? 'ok' : 'neutral', isOn ? t('shell.moduleState.on') : t('shell.moduleState.notSet')]
  }
  if (edge) {
    const { online, total, tone } = edge
    const label = t('shell.modules.edge', { online: online ?? '–', total })
    dots.push([label, tone, online === null ? t('shell.edgeAway') : t('shell.edge', { online, total })])
  }
  return (
    <footer className={`${classes.root} no-print`}>
      <span className="num">
        {status?.brand_name ?? 'Sightline'} {status?.version}
      </span>
      <ul className={classes.modules}>
        {dots.map(([label, tone, word]) => (
          <li key={label} title={word}>
            <StatusDot tone={tone} />
            {label}
            <span className="sr">: {word}</span>
          </li>
        ))}
      </ul>
    </footer>
  )
}
