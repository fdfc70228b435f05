import * as z from 'zod'
import { id, optionalPaging } from './field.ts'
import { op } from './op.ts'

export const storageGroups = ['customer', 'site', 'channel'] as const

/** What the portal stores of a customer, a site or a channel. What is not known is null. */
export const storageData = z
  .object({
    customer_id: z.uuid(),
    /** Null: of all sites of the customer. */
    site_id: z.uuid().nullable(),
    /** Null: of all channels of the site. */
    channel_id: z.uuid().nullable(),
    name: z.string(),
    /** Records from `oldest_at` on: windows and the openings of occasions, out of the hourly roll-ups. */
    events: z.int(),
    /** `events` times the size of a mean record, its share of the indexes with it; null until the database has counted. */
    events_bytes: z.int().nullable(),
    /**
     * Pictures that the portal keeps: of sites, cameras, people, and those on which zones were drawn; only the last
     * belong to a channel. Pictures and clips of events take their space on edge servers and are not in it.
     */
    media_bytes: z.int(),
    /** Of its oldest and its newest record; null without any. */
    oldest_at: z.string().nullable(),
    newest_at: z.string().nullable(),
    /** Null: nothing can be held in this version. */
    held_bytes: z.int().nullable(),
  })
  .meta({ id: 'StorageData' })
export type StorageData = z.infer<typeof storageData>

export const storage = {
  data: op({
    method: 'GET',
    path: '/storage/data',
    summary: 'What is stored, by customer, site or channel; by name, at most 500 without a limit',
    access: 'admin_and_above',
    compressed: true,
    input: z.strictObject({
      group: z.enum(storageGroups, { error: 'one_of' }).default('channel'),
      customer_id: id.optional(),
      site_id: id.optional(),
      channel_id: id.optional(),
      ...optionalPaging,
    }),
    output: z.array(storageData),
  }),
}
