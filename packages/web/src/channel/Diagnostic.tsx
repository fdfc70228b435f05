import { Alert, Button, Loader } from '@mantine/core'
import { type Channel, type ChannelCheck, type ChannelStatus, type Device, troubleshooting } from '@sightline/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../app/client.ts'
import { portalNow } from '../app/clock.ts'
import { notify } from '../app/messages.ts'
import { formatDuration, formatNumber, formatPercent } from '../i18n/format.ts'
import { causeText, clockText } from '../i18n/words.ts'
import type { Path } from '../screens.ts'
import { useMay } from '../session.ts'
import { ChannelHealth } from '../ui/ChannelHealth.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { saveBlob } from '../ui/download.ts'
import { ErrorPanel } from '../ui/ErrorPanel.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Go, type Search, useGo } from '../ui/Go.tsx'
import { Tag } from '../ui/Health.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Panel } from '../ui/Panel.tsx'
import { RowsSkeleton } from '../ui/Skeletons.tsx'
import type { Tone } from '../ui/tone.ts'
import classes from './channel.module.css'
import { useChannelJob } from './useJob.ts'

const liveMs = 3000
const tones: Record<ChannelCheck['level'], Tone> = {
  good: 'ok',
  warning: 'warn',
  error: 'bad',
  unknown: 'neutral',
  off: 'neutral',
}

/** From camera to notification, step by step with its live values: where it is broken, why, and what to do. */
export function Diagnostic({ channel, device }: { channel: Channel; device: Device }) {
  const { t } = useTranslation()
  const { channel_id } = channel
  const mayRevive = useMay('user_edit')
  const status = useQuery({ ...api.channel.status.query({ channel_id }), refetchInterval: liveMs })
  const stats = useQuery({ ...api.channel.stats.query({ channel_id: [channel_id] }), refetchInterval: 10 * liveMs })
  const { job, isBusy, revive, troubleshoot } = useChannelJob(channel_id)
  const found = job?.kind === 'channel.troubleshoot' ? troubleshooting.safeParse(job.result).data : undefined
  const state = status.data
  // What was found out by asking the camera stands for as long as its live state is not worse; of the other steps the live state knows all.
  const asked = found?.checks.find(({ step }) => step === 'source')
  const checks = state?.checks.map((check) =>
    check.step === 'source' && check.level === 'good' && asked?.level === 'warning' ? asked : check,
  )
  const broken = checks?.find(({ level }) => level === 'error') ?? checks?.find(({ level }) => level === 'warning')
  const isUnsure = checks?.some(({ level }) => level === 'unknown')
  return (
    <>
      <PageHeader
        title={t('channel.diagnose.title', { name: channel.channel_name })}
        meta={<ChannelHealth channel={state ?? channel} />}
      >
        {checks && state && (
          <Button
            variant="default"
            onClick={async () => {
              const taken = await takeReport(channel, device, state, checks)
              notify({ type: 'success', text: t(`channel.diagnose.${taken}`) })
            }}
          >
            {t('channel.diagnose.copy')}
          </Button>
        )}
        {mayRevive && (
          <>
            <Button variant="default" disabled={isBusy} onClick={() => revive(broken?.level === 'error')}>
              {t('channel.diagnose.revive')}
            </Button>
            <Button loading={isBusy} onClick={troubleshoot}>
              {t('channel.diagnose.troubleshoot')}
            </Button>
          </>
        )}
      </PageHeader>
      {status.isError && !state ? (
        <ErrorPanel error={status.error} onRetry={() => void status.refetch()} />
      ) : !state || !checks ? (
        <RowsSkeleton rows={7} height={64} />
      ) : (
        <>
          <p className="t2" role="status">
            {isBusy && <Loader size={14} mr={8} />}
            {isBusy
              ? t(job?.kind === 'channel.revive' ? 'channel.diagnose.reviving' : 'channel.diagnose.looking')
              : job?.state === 'failed'
                ? t('channel.diagnose.failed', { cause: causeText(job.error ?? 'internal') })
                : broken
                  ? t('channel.diagnose.broken', { step: t(`channel.diagnose.step.${placeOf(broken)}`) })
                  : t(isUnsure ? 'channel.diagnose.unsure' : 'channel.diagnose.well')}
          </p>
          <ol className={classes.checks}>
            {checks.map((check) => (
              <li key={check.step} className={classes.check} data-level={check.level}>
                <div className={classes.checkHead}>
                  <h2>{t(`channel.diagnose.step.${placeOf(check)}`)}</h2>
                  <Tag tone={tones[check.level]}>{t(`channel.diagnose.level.${check.level}`)}</Tag>
                </div>
                <p>{causeText(check.text_id, check.args)}</p>
                {check.text_id === 'needs_model' && channel.usecase_key === 'frdtec' && (
                  <p>{t('usecase.orFlamesText')}</p>
                )}
                <StepFacts step={check.step} status={state} coverage={stats.data?.[0]?.coverage_ratio ?? null} />
                <NextStep check={check} channel={channel} />
              </li>
            ))}
          </ol>
          {found?.snapshot_url && (
            <Panel title={t('channel.diagnose.picture')}>
              <img className={classes.asked} src={found.snapshot_url} alt={t('channel.diagnose.picture')} />
            </Panel>
          )}
          <ForceRemove channel={channel} isOffered={broken?.level === 'error'} />
        </>
      )}
    </>
  )
}

/** Where it is broken, for a person: of a camera whose edge server is away nothing is known. */
const placeOf = ({ step, text_id }: ChannelCheck) => (text_id === 'nimble_unreachable' ? 'edge' : step)

/** Seconds since a moment, in words; a dash before the first. */
const ageText = (at: string | null) =>
  at === null ? null : formatDuration(Math.max(0, (portalNow() - Date.parse(at)) / 1000))

type StepProps = { step: ChannelCheck['step']; status: ChannelStatus; coverage: number | null }

/** The live values of a step. */
function StepFacts({ step, status, coverage }: StepProps) {
  const { t } = useTranslation()
  const number = (value: number | null) => (value === null ? null : formatNumber(value))
  const items: Partial<Record<ChannelCheck['step'], [string, string | null][]>> = {
    source: [
      [t('channel.diagnose.lastPicture'), ageText(status.last_frame_at)],
      [t('channel.detail.reconnects'), number(status.reconnects)],
    ],
    decode: [
      [
        t('channel.detail.fps'),
        status.fps === null || status.expected_fps === null
          ? null
          : t('channel.detail.fpsOf', { fps: formatNumber(status.fps), expected: formatNumber(status.expected_fps) }),
      ],
      [t('channel.detail.drops'), number(status.drops)],
    ],
    inference: [
      [
        t('channel.diagnose.inference'),
        status.inference_ms === null ? null : t('channel.diagnose.ms', { ms: formatNumber(status.inference_ms) }),
      ],
    ],
    event: [
      [t('channel.diagnose.lastCount'), ageText(status.last_record_at)],
      [t('channel.diagnose.coverage'), coverage === null ? null : formatPercent(coverage)],
    ],
    storage: [
      [t('channel.diagnose.waiting'), number(status.journal_events)],
      [t('channel.detail.clock'), status.clock_offset_ms === null ? null : clockText(status.clock_offset_ms)],
    ],
  }
  const facts = items[step]
  return facts ? <Facts items={facts} /> : null
}

const atCamera =
  /^(bad_credentials|credentials|unreachable|timeout|host_|not_rtsp|not_h264|no_stream|redirected|address_|stalled|cut|bad_stream|b_frames)/
const inDrawing =
  /^(needs_calibration|calibration|no_zone|line_required|camera_moved|view_different|degraded:(other_shape|reference_height))/
/** The lens, or what the camera does to its picture. */
const onSite = /^degraded:(covered|black|frozen|blurred|scene_changed)/
/** There a model is chosen too, and one that is missing added; flames by colour need none. */
const inTuning =
  /^(needs_model|pictures_few|pictures_left_out|analysis_behind|degraded(:(motion_only|too_few_pictures|no_colour))?$)/
/** The model itself is at fault: another file, or another model. */
const inModel = /^model_(missing|unrunnable|crash|quarantined|too_|head|opset|input|output|no_|external|custom)/
/** It mends itself, or waits for nobody here. */
const waiting =
  /^(model_(loading|starting|corrupt)|gallery_loading|portal_fault|degraded:warm_up|older_version|journal_)/
const atEdge = /^(nimble_unreachable|analysis_failed|model_(unkept|runtime_missing)|edge_disk)/

/** What a person does next, and where. */
function nextOf({ level, text_id }: ChannelCheck, channel: Channel): { to?: Path; search?: Search; id: Next } | null {
  if (level === 'good' || level === 'unknown' || level === 'off') return null
  const ids = { did: channel.device_id, cid: channel.channel_id, uid: channel.usecase_id }
  if (waiting.test(text_id)) return { id: 'wait' }
  if (atEdge.test(text_id)) return { to: '/configuration/detail', search: { nid: channel.nimble_id }, id: 'edge' }
  if (inModel.test(text_id)) return { to: '/model', search: {}, id: 'model' }
  if (text_id === 'faces_off')
    return { to: '/site/detail', search: { sid: channel.site_id, tab: 'faces' }, id: 'faces' }
  if (inDrawing.test(text_id)) return { to: '/channel/edit', search: ids, id: 'zones' }
  if (inTuning.test(text_id)) return { to: '/channel/edit', search: { ...ids, tab: 'tuning' }, id: 'tuning' }
  if (onSite.test(text_id)) return { id: 'lens' }
  if (atCamera.test(text_id)) return { to: '/device/edit', search: { did: channel.device_id }, id: 'camera' }
  return { id: 'revive' }
}
type Next = 'edge' | 'model' | 'faces' | 'zones' | 'tuning' | 'camera' | 'wait' | 'lens' | 'revive'

function NextStep({ check, channel }: { check: ChannelCheck; channel: Channel }) {
  const { t } = useTranslation()
  const mayEdit = useMay('edit')
  const next = nextOf(check, channel)
  if (!next) return null
  if (!next.to) return <p className="t2">{t(`channel.diagnose.next.${next.id}`)}</p>
  return mayEdit ? (
    <Go to={next.to} search={next.search}>
      {t(`channel.diagnose.next.${next.id}`)}
    </Go>
  ) : (
    <p className="t3">{t('channel.diagnose.askAdmin')}</p>
  )
}

/** Offered once something is broken: the channel goes although its edge server cannot be asked. */
function ForceRemove({ channel, isOffered }: { channel: Channel; isOffered: boolean }) {
  const { t } = useTranslation()
  const go = useGo()
  const mayEdit = useMay('edit')
  const [asks, setAsks] = useState(false)
  const remove = useMutation(api.channel.delete.mutation())
  if (!mayEdit || !isOffered) return null
  return (
    <Alert color="red" variant="light" title={t('channel.diagnose.forceTitle')} mt="lg">
      {t(channel.auto_recovery ? 'channel.diagnose.forceBlocked' : 'channel.diagnose.forceText')}
      {!channel.auto_recovery && (
        <div>
          <Button mt="sm" color="red.9" onClick={() => setAsks(true)}>
            {t('channel.diagnose.force')}
          </Button>
        </div>
      )}
      <Confirm
        opened={asks}
        onClose={() => setAsks(false)}
        title={t('channel.diagnose.force')}
        confirmLabel={t('channel.diagnose.force')}
        pending={remove.isPending}
        onConfirm={() =>
          remove.mutate(
            { channel_id: channel.channel_id, force: true },
            {
              onSuccess: () => go('/device/detail', { did: channel.device_id }, { replace: true }),
              onSettled: () => setAsks(false),
            },
          )
        }
      >
        {t('channel.detail.deleteText')}
      </Confirm>
    </Alert>
  )
}

/** Everything that support asks for first: on the clipboard, or as a file where the browser refuses that. */
async function takeReport(
  channel: Channel,
  device: Device,
  status: ChannelStatus,
  checks: readonly ChannelCheck[],
): Promise<'copied' | 'saved'> {
  const { channel_id, channel_name, usecase_key } = channel
  const at = new Date().toISOString()
  const report = { at, channel_id, channel_name, usecase_key, device: device.device_name }
  const text = JSON.stringify({ ...report, ...status, checks }, null, 2)
  try {
    // Without https there is no clipboard at all.
    await navigator.clipboard.writeText(text)
    return 'copied'
  } catch (error) {
    console.info('The clipboard cannot be written.', error)
    saveBlob(new Blob([text], { type: 'application/json' }), `${channel_name} ${at.slice(0, 10)}.json`)
    return 'saved'
  }
}
