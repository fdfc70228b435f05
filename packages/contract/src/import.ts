import * as z from 'zod'
import { id } from './field.ts'

/** Columns of a table of cameras, in the order of its template. Site and edge server are named where they are not those of the call. */
export const importColumns = [
  'device_name',
  'stream_address',
  'username',
  'password',
  'onvif_port',
  'UUID',
  'device_tags',
  'site_name',
  'nimble_name',
  'live_address',
] as const
export type ImportColumn = (typeof importColumns)[number]
/** Rows of one call; a longer table is sent in several. */
export const importRows = 1000

/** In place of a password that a table leaves out, such as that of the failed rows: refused until one is typed. */
export const passwordLeftOut = '****'

const cell = z.string().max(2000, 'too_long').default('')
/** One camera as text, cell by cell. `device_tags` reads `floor=ground; zone=A`; `live_address` is of a stream to look at. */
export const importRow = z.strictObject(
  Object.fromEntries(importColumns.map((column) => [column, cell])) as Record<ImportColumn, typeof cell>,
)
export type ImportRow = z.output<typeof importRow>

export const deviceImport = z.strictObject({
  site_id: id,
  nimble_id: id,
  rows: z.array(importRow).min(1, 'required').max(importRows, `at_most_items:${importRows}`),
  /** Only says what would become of each row. */
  dry_run: z.boolean().default(false),
})

export const importOutcome = z
  .object({
    /** Position in `rows`, from 0. */
    row: z.int(),
    /** `skipped`: the organization has this camera already. */
    outcome: z.enum(['valid', 'created', 'skipped', 'failed']),
    /** The camera made, or the one that is there already. */
    device_id: z.uuid().nullable(),
    errors: z.record(z.string(), z.array(z.string())),
  })
  .meta({ id: 'ImportOutcome' })
export type ImportOutcome = z.infer<typeof importOutcome>

/** Also the `result` of the job, in which rows turn from `valid` to `created` or `failed`. */
export const imported = z.object({ rows: z.array(importOutcome) })
export type Imported = z.infer<typeof imported>
