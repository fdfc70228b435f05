import { useTranslation } from 'react-i18next'
import type { Tried } from '../../app/discovery.ts'
import { causeText } from '../../i18n/words.ts'
import { Tag } from '../Health.tsx'
import { profileText } from './ChooseStreams.tsx'
import classes from './cameras.module.css'
import { Findings } from './Findings.tsx'

/** What the trial of one camera among many found: its still, what it sends, and what to change. */
export function TrialNote({ tried }: { tried: Tried | 'running' }) {
  const { t } = useTranslation()
  if (tried === 'running') return <Tag tone="info">{t('bulk.grid.testing')}</Tag>
  const { probe, profile, problem } = tried
  if (!probe) return <span className={classes.problem}>{causeText(problem ?? '')}</span>
  return (
    <div className={classes.tried}>
      {probe.snapshot_url && <img src={probe.snapshot_url} alt={t('device.snapshot')} />}
      <div className={classes.grow}>
        {profile && <span className="num t2">{profileText(profile)}</span>}
        <Findings findings={probe.findings} isSilent />
        {/* Without a finding that says so: there is a stream, and none that can be read. */}
        {problem && !probe.findings.some(({ level }) => level === 'error') && (
          <span className={classes.problem}>{causeText(problem)}</span>
        )}
      </div>
    </div>
  )
}
