import {
  deviceDraft,
  fieldErrors,
  type ImportOutcome,
  type ImportRow,
  importColumns,
  issueId,
  type Job,
  passwordLeftOut,
  streamKey,
} from '@sightline/contract'
import { bulkDevices, endpointUuid, folded } from '@sightline/domain'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import type { Ctx } from '../mount.ts'
import { readNimble } from '../nimble/store.ts'
import { Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import type { JobHandle, Services } from '../services.ts'
import { readSite } from '../site/store.ts'
import { addressErrors, createDevices, type DeviceDraft } from './create.ts'

type Errors = Record<string, string[]>
/** A row and what is to become of it; the draft is there while it is valid. */
type Plan = ImportOutcome & { draft: DeviceDraft | null }
type Input = { site_id: string; nimble_id: string; rows: readonly ImportRow[] }

/** What every row would do, told before anything is written. @throws 404 for a site or edge server out of reach */
async function planImport(trx: Trx, scope: Scope, app: Services, input: Input) {
  const known = await knownPlaces(trx, scope, input)
  const plans: Plan[] = []
  for (const [row, cells] of input.rows.entries()) plans.push({ row, ...planRow(cells, row, known, app) })
  return { plans, tenantId: known.site.tenant_id }
}

type Known = Awaited<ReturnType<typeof knownPlaces>>

/** All that a row is held against, read once. */
async function knownPlaces(trx: Trx, scope: Scope, { site_id, nimble_id }: Input) {
  const site = await readSite(trx, scope, site_id)
  const nimble = await readNimble(trx, scope, nimble_id)
  if (site.tenant_id !== nimble.tenant_id)
    throw new Refusal(400, 'Error in inputs', { errors: { nimble_id: ['not_found'] } })
  const tenant = site.tenant_id
  const sites = await trx.selectFrom('site').select(['id', 'uid', 'name']).where('tenant_id', '=', tenant).execute()
  const nimbles = await trx
    .selectFrom('nimble')
    .select(['uid', 'name', 'address', 'is_local'])
    .where('tenant_id', '=', tenant)
    .execute()
  const devices = await trx
    .selectFrom('device')
    .select(['uid', 'name', 'site_id', 'stream_address', 'endpoint_uuid'])
    .where('tenant_id', '=', tenant)
    .execute()
  const siteUids = new Map(sites.map(({ id, uid }) => [id, uid]))
  return {
    site,
    nimble,
    sites: Map.groupBy(sites, ({ name }) => folded(name)),
    nimbles: new Map(nimbles.map((one) => [folded(one.name), one])),
    names: new Set(devices.map(({ name, site_id }) => `${siteUids.get(site_id)} ${folded(name)}`)),
    addresses: new Map(devices.map(({ stream_address, uid }) => [streamKey(stream_address), uid])),
    endpoints: new Map(
      devices.flatMap(({ endpoint_uuid, uid }) => {
        const endpoint = endpointUuid(endpoint_uuid)
        return endpoint ? [[endpoint, uid]] : []
      }),
    ),
    /** Of rows before this one: streams and endpoints with their row. */
    seen: new Map<string, number>(),
  }
}

function planRow(cells: ImportRow, row: number, known: Known, app: Services): Omit<Plan, 'row'> {
  const errors: Errors = {}
  const refuse = (field: string, ...ids: string[]) => {
    errors[field] = [...(errors[field] ?? []), ...ids]
  }
  const site_id = siteOf(cells.site_name, known, (id) => refuse('site_name', id))
  const nimble = cells.nimble_name === '' ? known.nimble : known.nimbles.get(folded(cells.nimble_name.trim()))
  if (!nimble) refuse('nimble_name', 'not_found')
  if (cells.password === passwordLeftOut) refuse('password', 'password_left_out')
  const tags = readTags(cells.device_tags)
  if (!tags) refuse('device_tags', 'tags_form')
  const [name, address, live] = [cells.device_name.trim(), cells.stream_address.trim(), cells.live_address.trim()]
  const parsed = deviceDraft.safeParse(
    {
      device_name: name,
      site_id: site_id ?? known.site.uid,
      nimble_id: (nimble ?? known.nimble).uid,
      stream_address: address,
      username: cells.username || null,
      password: cells.password || null,
      onvif_port: cells.onvif_port.trim() === '' ? null : Number(cells.onvif_port),
      UUID: cells.UUID,
      device_tags: tags ?? {},
      ...(live !== '' && {
        device_source: [
          { source_name: name, source_address: address, role: 'analytics' },
          { source_name: name, source_address: live, role: 'live' },
        ],
      }),
    },
    { error: issueId },
  )
  if (!parsed.success)
    for (const [field, ids] of Object.entries(fieldErrors(parsed.error)))
      for (const column of columnOf(field)) refuse(column, ...ids)
  if (parsed.data)
    for (const [field, id] of addressErrors(app, parsed.data, nimble ?? known.nimble))
      for (const column of columnOf(field)) refuse(column, id)

  const draft = parsed.data
  if (draft && Object.keys(errors).length === 0) {
    const [stream, endpoint] = [streamKey(draft.stream_address), draft.UUID]
    const there = known.addresses.get(stream) ?? (endpoint ? known.endpoints.get(endpoint) : undefined)
    if (there) return { outcome: 'skipped', device_id: there, errors: {}, draft: null }
    const earlier = known.seen.get(stream) ?? (endpoint ? known.seen.get(endpoint) : undefined)
    if (earlier !== undefined) refuse('stream_address', `row_twice:${earlier + 1}`)
    const placed = `${draft.site_id} ${folded(draft.device_name)}`
    if (known.names.has(placed)) refuse('device_name', 'name_taken')
    if (Object.keys(errors).length === 0) {
      known.names.add(placed)
      known.seen.set(stream, row)
      if (endpoint) known.seen.set(endpoint, row)
      return { outcome: 'valid', device_id: null, errors: {}, draft }
    }
  }
  return { outcome: 'failed', device_id: null, errors, draft: null }
}

/** The site a row names, else that of the call. A name that two customers use says nothing. */
function siteOf(name: string, { site, sites }: Known, refuse: (id: string) => void): string | null {
  if (name.trim() === '' || folded(name.trim()) === folded(site.name)) return site.uid
  const [one, ...others] = sites.get(folded(name.trim())) ?? []
  if (!one) refuse('not_found')
  else if (others.length > 0) refuse('name_ambiguous')
  else return one.uid
  return null
}

/** `floor=ground; zone=A`; null when it is something else. */
function readTags(text: string): Record<string, string> | null {
  const tags = new Map<string, string>()
  for (const part of text.split(';').filter((part) => part.trim() !== '')) {
    const [key = '', value, ...more] = part.split('=').map((word) => word.trim())
    if (value === undefined || more.length > 0 || tags.has(key)) return null
    tags.set(key, value)
  }
  return Object.fromEntries(tags)
}

/** Errors inside a tag are errors of its column; the first stream is the row's own, of which is told already. */
const columnOf = (field: string): string[] =>
  field === 'device_source.1.source_address'
    ? ['live_address']
    : field.startsWith('device_source.')
      ? []
      : [importColumns.find((column) => field === column || field.startsWith(`${column}.`)) ?? field]

const outcomesOf = (plans: readonly Plan[]) => ({ rows: plans.map(({ draft: _, ...outcome }) => outcome) })

/**
 * Adds the cameras of all valid rows, each by itself: one that fails, because somebody was faster, leaves the others.
 * Sent again, a table adds only what is missing.
 */
async function runImport({ app, scope }: Ctx, tenant_id: number, plans: Plan[], job: JobHandle): Promise<void> {
  const drafts = plans.flatMap((plan) => (plan.draft ? [[plan, plan.draft] as const] : []))
  let done = 0
  // What is told grows with the table: a table of any length is told of about twenty times.
  const step = Math.max(bulkDevices, Math.ceil(drafts.length / 20))
  const report = () => {
    job.report({ done, total: drafts.length, result: outcomesOf(plans) as Job['result'] })
    app.bus.publish(changed({ tenant_id }, 'device', null))
  }
  try {
    for (const [plan, draft] of drafts) {
      if (job.signal.aborted) break
      Object.assign(plan, await addOne(app, scope, draft))
      done += 1
      if (done % step === 0) report()
    }
  } finally {
    report()
    for (const uid of new Set(drafts.map(([, draft]) => draft.nimble_id))) app.links.reconfigure(uid)
  }
}

async function addOne(app: Services, scope: Scope, draft: DeviceDraft): Promise<Omit<Plan, 'row'>> {
  try {
    const [device_id = null] = await app.db.as(scope, (trx) =>
      createDevices(trx, scope, app, [draft], (_, field) => field),
    )
    return { outcome: 'created', device_id, errors: {}, draft: null }
  } catch (error) {
    // A site that was deleted meanwhile is that row's trouble; a database that is away is everybody's.
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    const errors = error.errors ?? { device_name: [error.code ?? 'invalid'] }
    return { outcome: 'failed', device_id: null, errors, draft: null }
  }
}

export async function importDevices(input: Input & { dry_run: boolean }, ctx: Ctx) {
  const { app, scope, principal } = ctx
  const { site_id, nimble_id, dry_run, rows } = input
  const { plans, tenantId } = await app.db.as(scope, (trx) => planImport(trx, scope, app, input))
  if (dry_run) return { job_id: null, ...outcomesOf(plans) }
  // Without the rows themselves: they hold passwords.
  const job_id = await app.jobs.run(principal, 'device.import', { site_id, nimble_id, rows: rows.length }, (job) =>
    runImport(ctx, tenantId, plans, job),
  )
  return { job_id, ...outcomesOf(plans) }
}
