/** What edge servers say that browsers read as well. Apart from the rest of the link, which no browser has to load. */
import * as z from 'zod'

export const elementValue = z.union([z.string(), z.number(), z.boolean()])
export const elements = z.record(z.string(), elementValue)
export type Elements = z.infer<typeof elements>

const unusableHost = z.object({
  host: z.string().max(2000),
  cause: z.enum(['camera_https_only', 'camera_address_refused']),
})
/** So many of them are told. */
const mostUnusable = 64
/** A later edge server may know more causes: those that are understood count without the others, each once. */
function understood(given: unknown): unknown {
  const hosts = (Array.isArray(given) ? given : []).flatMap((one) => unusableHost.safeParse(one).data ?? [])
  return [...new Map(hosts.map((one) => [`${one.cause} ${one.host}`, one])).values()].slice(0, mostUnusable)
}

/** Where was searched, and who answered there but cannot be used, with the cause. */
export const scanned = z.object({
  interfaces: z.array(z.string()),
  range: z.string().nullable(),
  ms: z.number(),
  unusable: z.preprocess(understood, z.array(unusableHost).max(mostUnusable)),
})
export type Scanned = z.infer<typeof scanned>

export const finding = z.object({
  level: z.enum(['good', 'warning', 'error']),
  code: z.string(),
  text_id: z.string(),
  args: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
})
export type Finding = z.infer<typeof finding>

export const overlayBox = z.object({
  /** [x, y, w, h], 0…1. */
  box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
  label: z.string(),
  score: z.number(),
  track_id: z.int().nullable(),
  /** Channels for which it is, at this moment, what must not be; earlier edge servers do not say it. */
  violates: z.array(z.uuid()).default([]),
})
export type OverlayBox = z.infer<typeof overlayBox>

/** Frames and stored events hold a kind as its place in this list: the order is for ever. */
export const recordKinds = ['window', 'open', 'update', 'close'] as const
export type RecordKind = (typeof recordKinds)[number]
