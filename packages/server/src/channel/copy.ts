import type { CopiedChannel, channel, Receive, Zone } from '@sightline/contract'
import { isOfPlace, isOtherShape, pipelineDefaults } from '@sightline/domain'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import type { Ctx } from '../mount.ts'
import { countUsers } from '../pipeline/store.ts'
import { eachByItself, Refusal } from '../refusal.ts'
import { sourcesOfDevices } from '../source/store.ts'
import { zonesOfChannels } from '../static/store.ts'
import { type ChannelChange, changeChannel, lockChannel } from './change.ts'
import { type ChannelRow, channelGone, readChannel } from './store.ts'

type Wish = Receive<typeof channel.copy>
type Changes = CopiedChannel['changes']

/** A channel with its zones; masks are apart, as they are the camera's. */
type Giver = { row: ChannelRow; zones: Zone[]; masks: Zone[] }

/** Gives settings of one channel to others, each in a transaction of its own: what fails for one is done for the rest. */
export async function copyChannel({ channel_id, to, settings, dry_run }: Wish, ctx: Ctx) {
  const { app, scope, note } = ctx
  const from = await app.db.as(scope, async (trx) => withZones(trx, ctx, await readChannel(trx, scope, channel_id)))
  note({ object_id: from.row.uid, object_name: from.row.name })
  const nimbles = new Set<string>()
  const channels = await eachByItself<string, CopiedChannel>(
    new Set(to),
    async (uid) => {
      const { row, ...given } = await app.db.try(scope, { dry_run }, (trx) => give(trx, ctx, from, uid, settings))
      if (given.changes.length > 0 && !dry_run) {
        nimbles.add(row.nimble_uid)
        app.bus.publish(changed(row, 'channel', uid))
        app.bus.publish(changed(row, 'device', row.device_uid))
      }
      const outcome = given.changes.length > 0 ? 'copied' : 'unchanged'
      return { channel_id: uid, outcome, error_code: null, ...given }
    },
    (uid, { code, errors = {} }) => {
      const error_code = code ?? Object.values(errors)[0]?.[0] ?? 'invalid'
      return { channel_id: uid, outcome: 'failed', error_code, changes: [], is_other_shape: false }
    },
  )
  // Of a dry run nothing is noted. The giver is what was named; what became of the others stands with it.
  note({ after: { channels: channels.filter(({ outcome }) => outcome !== 'unchanged') } })
  for (const uid of nimbles) app.links.reconfigure(uid)
  return { channels }
}

async function withZones(trx: Trx, { scope }: Ctx, row: ChannelRow): Promise<Giver> {
  const all = (await zonesOfChannels(trx, scope, [row.id])).get(row.id) ?? []
  const { zones = [], masks = [] } = Object.groupBy(all, ({ kind }) => (kind === 'mask' ? 'masks' : 'zones'))
  return { row, zones, masks }
}

/** @throws 404 for a channel of another organization, 409 for one of another use case or with a pipeline that others run */
async function give(trx: Trx, ctx: Ctx, from: Giver, uid: string, settings: Wish['settings']) {
  const { scope } = ctx
  const to = await withZones(trx, ctx, await lockChannel(trx, scope, uid))
  const { row } = to
  if (row.tenant_id !== from.row.tenant_id) throw channelGone()
  if (row.usecase_id !== from.row.usecase_id)
    throw new Refusal(409, 'This channel has another use case', { code: 'other_usecase' })
  const has = (setting: Wish['settings'][number]) => settings.includes(setting)

  const changes: Changes = []
  const wish: ChannelChange = {}
  if (has('zones') && !isSame(from.zones, to.zones)) {
    changes.push({ setting: 'zones', before: namesOf(to.zones), after: namesOf(from.zones) })
    wish.zones = draftsOf(from.zones, to)
  }
  if (has('tuning')) {
    const elements = elementsFor(from.row)
    const now = elementsOf(row)
    const differing = Object.keys(elements).filter((key) => elements[key] !== now[key])
    for (const key of differing) changes.push({ setting: key, before: now[key] ?? null, after: elements[key] ?? null })
    if (differing.length > 0) {
      if ((await countUsers(trx, { tenant_id: row.tenant_id, id: row.pipeline_id })) > 1)
        throw new Refusal(409, 'Other channels run its pipeline too', { code: 'pipeline_shared' })
      wish.pipeline = { pipeline_elements: elements }
    }
  }
  if (has('channel_threshold') && row.threshold !== from.row.threshold) {
    changes.push({ setting: 'channel_threshold', before: row.threshold, after: from.row.threshold })
    wish.channel_threshold = from.row.threshold
  }
  if (has('auto_recovery') && row.auto_recovery !== from.row.auto_recovery) {
    changes.push({ setting: 'auto_recovery', before: row.auto_recovery, after: from.row.auto_recovery })
    wish.auto_recovery = from.row.auto_recovery
  }
  if (changes.length > 0) await changeChannel(trx, ctx, row, wish)
  return {
    row,
    changes,
    is_other_shape: wish.zones !== undefined && (await isDrawnOnAnother(trx, ctx, from.zones, row)),
  }
}

/** With the defaults of elements that are younger than the pipeline. */
const elementsOf = ({ usecase_key, elements }: ChannelRow): ChannelRow['elements'] => ({
  ...pipelineDefaults(usecase_key),
  ...elements,
})
/** What it can give: all but what is true of one place alone. */
const elementsFor = (from: ChannelRow): ChannelRow['elements'] =>
  Object.fromEntries(Object.entries(elementsOf(from)).filter(([key]) => !isOfPlace(key)))

const namesOf = (zones: readonly Zone[]) => zones.map(({ name, label }) => label ?? name).join(', ')

/** What somebody drew, without whose it is. */
const shapeOf = ({ label, kind, points, direction, side_a, side_b, aspect_ratio, is_active, dwell_s }: Zone) => {
  return { label, kind, points, direction, side_a, side_b, aspect_ratio, is_active, dwell_s }
}

/** Kind by kind, as `draftsOf` gives them: a line that was drawn before a zone here may be drawn after it there. */
const isSame = (a: readonly Zone[], b: readonly Zone[]): boolean =>
  JSON.stringify(a.map(shapeOf).sort(byKind)) === JSON.stringify(b.map(shapeOf).sort(byKind))
const byKind = (a: Pick<Zone, 'kind'>, b: Pick<Zone, 'kind'>) => Number(a.kind > b.kind) - Number(a.kind < b.kind)

/** The first zone stays the first zone, under its name and with its history, and masks stay as they are. */
function draftsOf(zones: readonly Zone[], to: Giver): NonNullable<ChannelChange['zones']> {
  const left = [...to.zones]
  const drafts = zones.map((zone) => {
    const at = left.findIndex(({ kind }) => kind === zone.kind)
    const [same] = at < 0 ? [] : left.splice(at, 1)
    return { ...shapeOf(zone), static_id: same?.static_id }
  })
  return [...drafts, ...to.masks.map((mask) => ({ ...shapeOf(mask), static_id: mask.static_id }))]
}

async function isDrawnOnAnother(trx: Trx, { scope }: Ctx, zones: readonly Zone[], row: ChannelRow): Promise<boolean> {
  const device = { tenant_id: row.tenant_id, id: row.device_id }
  const sources = (await sourcesOfDevices(trx, scope, [device])).get(row.device_id) ?? []
  const { width, height } = sources.find(({ uid }) => uid === row.source_uid) ?? { width: null, height: null }
  return (
    width !== null && height !== null && zones.some(({ aspect_ratio }) => isOtherShape(aspect_ratio, width / height))
  )
}
