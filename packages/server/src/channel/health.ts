/** Which of many channels need attention, in SQL; says the same as `channelHealth` of the domain. */
import { eventWindowSeconds, onlineSeconds, silentMs } from '@sightline/domain'
import { type SqlBool, sql } from 'kysely'

/** Joins to rows of `channel`, beside `joinActive`, what edge servers last said of them and of their streams. */
export const joinReports = sql`
  left join channel_state cs on cs.tenant_id = channel.tenant_id and cs.channel_id = channel.id
  left join source_state ss on ss.tenant_id = channel.tenant_id and ss.source_id = channel.source_id`

const isGone = sql`(ss.state = 'offline' and ss.failed_at is not null and (ss.last_frame_at is null
  or ss.failed_at - ss.last_frame_at >= make_interval(secs => ${sql.lit(silentMs / 1000)})))`

const twoWindows = sql`make_interval(secs => 2 * coalesce((select (elements->>'analytic.window_s')::float8 from pipeline
  where pipeline.tenant_id = channel.tenant_id and pipeline.id = channel.pipeline_id), ${sql.lit(eventWindowSeconds)}))`

/**
 * When it was heard last is known to the minute: that nothing comes any more is said here up to a minute later than of the
 * channel alone. How long its windows are matters only then.
 */
const silentSeconds = onlineSeconds + 60
const isSilent = sql`case when h.at >= now() - make_interval(secs => ${sql.lit(silentSeconds)}) then false
  when cs.since > now() - ${twoWindows} then false
  else h.at is null or h.at < now() - ${twoWindows} - make_interval(secs => 60) end`

/**
 * Whether a row of `channel` needs attention or its camera is offline; joined by `joinActive` and `joinReports`.
 * @param heard numbers of the edge servers that are there: of the others nobody knows
 */
export const needsAttention = (heard: readonly number[]) =>
  sql<SqlBool>`(channel.nimble_id = any(${[...heard]}::int4[]) and case
    when cs.state = 'refused' or ${isGone} or cs.detector_state in ('needs_model', 'needs_calibration')
      or (cs.state = 'applied' and cs.cause is not null) then true
    when cs.state is null or cs.state = 'applied' then false
    when cs.state = 'running' and cs.view in ('moved', 'different') then true
    when cs.detector_state <> 'ok' or cs.state = 'stopped' then true
    when ss.state in ('offline', 'refused') or ss.cause is not null then true
    else ${isSilent} end)`
