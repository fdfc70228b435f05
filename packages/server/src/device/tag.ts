import { type deviceOps, field, type Receive, type Reply } from '@sightline/contract'
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import type { Ctx } from '../mount.ts'
import { eachByItself, Refusal } from '../refusal.ts'
import type { Scope } from '../scope.ts'
import { type DeviceRow, lockDevice, updateDevice } from './store.ts'

/** So many are named in the trace; of more, the row would be too long to be kept. */
const mostNoted = 300

type Wish = Receive<typeof deviceOps.tag>

/** Sets one tag on cameras, or takes it from them, each in a transaction of its own. Those that have it so already stay untouched. */
export async function tagDevices({ device_id, key, value }: Wish, { app, scope, note }: Ctx) {
  const devices = await eachByItself<string, Reply<typeof deviceOps.tag>['devices'][number]>(
    new Set(device_id),
    async (uid) => {
      const row = await app.db.as(scope, (trx) => tagOne(trx, scope, uid, key, value))
      app.bus.publish(changed(row, 'device', uid))
      return { device_id: uid, outcome: 'tagged', error_code: null }
    },
    (uid, { code = 'invalid' }) => ({ device_id: uid, outcome: 'failed', error_code: code }),
  )
  const tagged = devices.flatMap(({ outcome, device_id }) => (outcome === 'tagged' ? device_id : []))
  note({
    object_name: key,
    after: {
      key,
      value,
      tagged: tagged.length,
      failed: devices.length - tagged.length,
      device_id: tagged.slice(0, mostNoted),
    },
  })
  return { devices }
}

/** @throws 404 for a camera out of reach, 400 for one that has as many tags as it may */
async function tagOne(trx: Trx, scope: Scope, uid: string, key: string, value: string | null): Promise<DeviceRow> {
  const row = await lockDevice(trx, scope, uid)
  const { [key]: had, ...others } = row.tags
  if ((had ?? null) === value) return row
  const tags = value === null ? others : { ...others, [key]: value }
  if (Object.keys(tags).length > field.mostTags) throw new Refusal(400, 'Too many tags', { code: 'too_many' })
  await updateDevice(trx, row, { tags: JSON.stringify(tags) })
  return row
}
