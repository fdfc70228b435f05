import { metricIds, usecaseKeys } from '@sightline/domain'
import * as z from 'zod'
import { id, queryFlag, queryList, queryNumber, whole } from './field.ts'
import { op } from './op.ts'
import { recordKinds } from './reported.ts'

export const frequencies = ['1m', '5m', '15m', '1h', '1d'] as const
export type Frequency = (typeof frequencies)[number]

/** RFC 3339, or relative to now: `-24h`, `-15m`, `0ms`. */
export const timePoint = z.union([z.iso.datetime({ offset: true }), z.string().regex(/^-?\d+(ms|s|m|h|d)$/)], {
  error: 'time_invalid',
})

/** What became of what an opening record began. */
export const occasion = z.object({
  /** Happened in a moment, like the crossing of a line: it has no length. */
  is_instant: z.boolean(),
  /** Null while it goes on, and for what has no length. */
  ended_at: z.string().nullable(),
  /** Why it ended: ended, lost, risen, restart, disabled. */
  end_cause: z.string().nullable(),
  updates: z.int(),
  /** The greatest of its own values. */
  peak: z.record(z.string(), z.number()),
  /** Zone or line by its own name, where it had one, and which way it was crossed: from one named side to the other. */
  zone: z.string().nullable(),
  direction: z.string().nullable(),
  from_side: z.string().nullable(),
  to_side: z.string().nullable(),
  /** Of an empty frame check: `nobody`, or why the camera is blind: `black`, `covered`, `frozen`, `blurred`. */
  finding: z.string().nullable(),
  /** Protective equipment that somebody lacks. */
  item: z.string().nullable(),
  /** Between two that are too close, or came too close. */
  distance_m: z.number().nullable(),
  time_to_collision_s: z.number().nullable(),
  /** Of a face to the person's: −1…1. */
  likeness: z.number().nullable(),
  /** Name of whose face it is; null of everybody else's, and of what is about no face. */
  person: z.string().nullable(),
})
export type Occasion = z.infer<typeof occasion>

/** `records`: one by one. `occasions`: what opened, each with what became of it. `gallery`: those with a picture. */
export const eventViews = ['records', 'occasions', 'gallery'] as const

export const eventEntity = z
  .object({
    event_uuid: z.uuid(),
    occasion_id: z.uuid().nullable(),
    kind: z.enum(recordKinds),
    organization_id: z.uuid(),
    customer_id: z.uuid(),
    site_id: z.uuid(),
    device_id: z.uuid(),
    nimble_id: z.uuid(),
    channel_id: z.uuid(),
    usecase_key: z.enum(usecaseKeys),
    observed_at: z.string(),
    received_at: z.string(),
    clock_offset_ms: z.int(),
    observed_ms: z.int(),
    detector: z.string(),
    detector_state: z.string(),
    state_cause: z.string().nullable(),
    model_version: z.string().nullable(),
    metrics: z.record(z.string(), z.number()),
    levels: z.record(z.string(), z.number()).nullable(),
    details: z.record(z.string(), z.json()).nullable(),
    snapshot_url: z.string().nullable(),
    clip_url: z.string().nullable(),
    /** In the views of occasions and by id, of opening records; else null. */
    occasion: occasion.nullable(),
  })
  .meta({ id: 'Event' })
export type EventEntity = z.infer<typeof eventEntity>

const face = z.enum(['level', 'flow', 'peak', 'last'])
const figure = z.number().nullable()

export const seriesPoint = z.object({
  start: z.string(),
  end: z.string(),
  /** The face's number; null in a gap. */
  value: figure,
  mean: figure,
  min: figure,
  max: figure,
  last: figure,
  sum: figure,
  n: z.int(),
  observed_ms: z.number(),
  coverage_ratio: z.number(),
})
const chartSeries = z.array(
  z.object({ metric: z.enum(metricIds), face, channel_id: z.uuid().nullable(), points: z.array(seriesPoint) }),
)
export const eventSeries = z
  .object({
    usecase_key: z.enum(usecaseKeys),
    agg_frequency: z.enum(frequencies),
    timezone: z.string(),
    start: z.string(),
    end: z.string(),
    series: chartSeries,
  })
  .meta({ id: 'EventSeries' })
export type EventSeries = z.infer<typeof eventSeries>

export const metricStat = z
  .object({
    metric: z.enum(metricIds),
    face,
    /** The large number of the card; null when nothing was watched. */
    value: figure,
    /** The number beside it. */
    beside: figure,
    faces: z.object({
      level: z.object({ mean: figure, min: figure, max: figure, last: figure }),
      flow: z.object({ sum: figure }),
    }),
    previous: figure,
    /** (value − previous) / previous; null when either side was watched under half the time. */
    delta_ratio: figure,
    observed_ms: z.number(),
    coverage_ratio: z.number(),
    /** How much of the period before was watched. */
    previous_coverage_ratio: z.number(),
    spark: z.array(figure),
  })
  .meta({ id: 'MetricStat' })
export type MetricStat = z.infer<typeof metricStat>

export const eventStats = z
  .object({
    usecase_key: z.enum(usecaseKeys),
    frequency: z.enum(frequencies),
    start: z.string(),
    end: z.string(),
    metrics: z.array(metricStat),
    channels: z.array(
      z.object({
        channel_id: z.uuid(),
        value: figure,
        violation: figure,
        is_active: z.boolean(),
        in_violation: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'EventStats' })
export type EventStats = z.infer<typeof eventStats>

/** Sites and what their use cases say of a period. */
export const siteReport = z
  .object({
    start: z.string(),
    end: z.string(),
    /** Where hours and days are cut; null: by the clock of each site. */
    timezone: z.string().nullable(),
    agg_frequency: z.enum(frequencies),
    generated_at: z.string(),
    /** Whether it differs from an earlier one because records came late; null where none was kept. */
    revised: z.boolean().nullable(),
    /** In the order asked for. */
    sites: z.array(
      z.object({
        site_id: z.uuid(),
        site_name: z.string(),
        timezone: z.string(),
        channels: z.int(),
        /** Share of the time that was watched, over its channels; null without any. */
        coverage_ratio: z.number().nullable(),
        usecases: z.array(
          z.object({
            usecase_key: z.enum(usecaseKeys),
            usecase_name: z.string(),
            metrics: z.array(metricStat),
            series: chartSeries,
            /** The greatest first; without those that were not watched. */
            top_channels: z.array(z.object({ channel_id: z.uuid(), channel_name: z.string(), value: z.number() })),
            /** Null: not known. */
            notifications: z.int().nullable(),
          }),
        ),
      }),
    ),
    totals: z.object({ sites: z.int(), channels: z.int(), coverage_ratio: z.number().nullable() }),
  })
  .meta({ id: 'SiteReport' })
export type SiteReport = z.infer<typeof siteReport>

/** How far back single events go. */
export const eventsKept = z
  .object({
    timezone: z.string(),
    /** Of the period that was asked for. */
    start: z.string(),
    /** Since when single events are kept; what is older is only counted. Null without any channel. */
    kept_from: z.string().nullable(),
  })
  .meta({ id: 'EventsKept' })
export type EventsKept = z.infer<typeof eventsKept>

export const eventHistogram = z
  .object({
    ...eventsKept.shape,
    end: z.string(),
    buckets: z.array(
      z.object({
        start: z.string(),
        end: z.string(),
        /** Occasions that began. */
        opened: z.int(),
        /** Of these, what must not happen. */
        violations: z.int(),
        /** Share of the time that was watched, over all channels. */
        coverage_ratio: z.number(),
      }),
    ),
  })
  .meta({ id: 'EventHistogram' })
export type EventHistogram = z.infer<typeof eventHistogram>

/** One file of the evidence; `cause` says why it cannot be had. */
export const evidenceFile = z.object({
  name: z.string(),
  content_type: z.string(),
  size: z.int().nullable(),
  /** Hexadecimal, of the bytes as they are downloaded. */
  sha256: z.string().nullable(),
  url: z.string().nullable(),
  /** The file itself, where it is text. */
  text: z.string().nullable(),
  cause: z.string().nullable(),
})
export const evidence = z
  .object({ event_uuid: z.uuid(), made_at: z.string(), made_by: z.string(), files: z.array(evidenceFile) })
  .meta({ id: 'Evidence' })
export type Evidence = z.infer<typeof evidence>

/** An export holds no more rows. */
export const mostExportRows = 50_000

const selection = {
  usecase_key: z.enum(usecaseKeys, { error: 'one_of' }).optional(),
  usecase_meta_key: queryList(z.enum(metricIds, { error: 'one_of' })).optional(),
  channel_id: queryList(z.uuid(), 1000).optional(),
  site_id: id.optional(),
  customer_id: id.optional(),
}

export const event = {
  range: op({
    method: 'GET',
    path: '/event/range',
    summary: 'Events of a period: type 1 lists, type 2 chart series (needs usecase_key)',
    access: 'viewer_and_above',
    compressed: true,
    input: z.strictObject({
      ...selection,
      start: timePoint.default('-24h'),
      end: timePoint.default('0ms'),
      agg_frequency: z.enum(frequencies, { error: 'one_of' }).optional(),
      event_limit: queryNumber()
        .pipe(whole.pipe(z.number().min(1).max(500, 'page_limit')))
        .default(50),
      event_offset: queryNumber()
        .pipe(whole.pipe(z.number().min(0).max(10000, 'page_offset')))
        .default(0),
      details: queryFlag().default(false),
      kind: queryList(z.enum(recordKinds, { error: 'one_of' })).optional(),
      /** Opening records alone, with what became of them; `gallery` lists a page oldest first. */
      view: z.enum(eventViews, { error: 'one_of' }).default('records'),
      /** `next_page_token` of the page before: goes on after it, however many came meanwhile. */
      page_token: id.optional(),
      /** Whether a list says how many there are in all. */
      is_counted: queryFlag().default(true),
      timezone: z.string().max(64).optional(),
      type: queryNumber()
        .pipe(z.union([z.literal(1), z.literal(2)], { error: 'one_of' }))
        .default(1),
    }),
    output: z.union([z.array(eventEntity), eventSeries]),
  }),
  kept: op({
    method: 'GET',
    path: '/event/kept',
    summary: 'Since when single events of a selection are kept, beside the begin of a period',
    access: 'viewer_and_above',
    input: z.strictObject({
      ...selection,
      start: timePoint.default('-24h'),
      end: timePoint.default('0ms'),
    }),
    output: eventsKept,
  }),
  histogram: op({
    method: 'GET',
    path: '/event/histogram',
    summary: 'How many occasions began in each part of a period',
    access: 'viewer_and_above',
    compressed: true,
    input: z.strictObject({
      ...selection,
      start: timePoint.default('-24h'),
      end: timePoint.default('0ms'),
      timezone: z.string().max(64).optional(),
    }),
    output: eventHistogram,
  }),
  export: op({
    method: 'POST',
    path: '/event/export',
    summary: 'Events of a period as CSV (UTF-8 with byte order mark), newest first; leaves a trace row',
    access: 'viewer_and_above',
    kind: 'file',
    perMinute: 10,
    input: z.strictObject({
      ...selection,
      start: timePoint.default('-24h'),
      end: timePoint.default('0ms'),
      kind: queryList(z.enum(recordKinds, { error: 'one_of' })).optional(),
      view: z.enum(eventViews, { error: 'one_of' }).default('occasions'),
      /** With a semicolon numbers have a decimal comma, as spreadsheets in French expect. */
      separator: z.enum([',', ';'], { error: 'one_of' }).default(','),
      /** What columns, and values that are codes, are called; without it by their codes: `zone`, `usecase.intrdtec`. */
      words: z
        .record(z.string().max(40), z.string().max(80))
        .refine((words) => Object.keys(words).length <= 200, 'too_many')
        .optional(),
    }),
    output: z.any(),
  }),
  evidence: op({
    method: 'POST',
    path: '/event/evidence',
    summary: 'The files that prove an event, with their SHA-256; leaves a trace row',
    access: 'viewer_and_above',
    input: z.strictObject({ event_uuid: id }),
    output: evidence,
  }),
  stats: op({
    method: 'GET',
    path: '/event/stats',
    summary: 'Card figures of a trailing period with its change',
    access: 'viewer_and_above',
    compressed: true,
    input: z.strictObject({ ...selection, frequency: z.enum(frequencies, { error: 'one_of' }).default('1d') }),
    output: eventStats,
  }),
  id: op({
    method: 'GET',
    path: '/event/id',
    summary: 'One event',
    access: 'viewer_and_above',
    input: z.strictObject({ event_uuid: id }),
    output: eventEntity,
  }),
  neighbours: op({
    method: 'GET',
    path: '/event/neighbours',
    summary: 'The events of the same kind and analytic just before and just after one',
    access: 'viewer_and_above',
    input: z.strictObject({ event_uuid: id }),
    output: z.object({ older: z.uuid().nullable(), newer: z.uuid().nullable() }),
  }),
}
