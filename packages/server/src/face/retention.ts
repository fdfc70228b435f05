/** People whose time at a site is over are forgotten, as if somebody had deleted them. */
import { changed } from '../bus.ts'
import type { Trx } from '../db/database.ts'
import type { Services } from '../services.ts'
import { newUid } from '../uid.ts'
import { dueFaces, eraseFace, raiseFaces } from './store.ts'

type Parts = Pick<Services, 'env' | 'db' | 'bus' | 'links' | 'log'>
type DueFace = Awaited<ReturnType<ReturnType<typeof dueFaces>['execute']>>[number]

const roundMs = 10 * 60_000

/** Forgets everybody who is due now. Who could not be is tried again in the next round; the others are forgotten. */
export async function forgetDue(parts: Parts): Promise<void> {
  const { db, bus, links, log } = parts
  for (const face of await db.owner((trx) => dueFaces(trx).execute())) {
    try {
      // Edge servers first, as everybody waits for them; they are told the new version with the person gone, or not at all.
      const { nimbles, isForgotten } = await db.owner(async (trx) => ({
        nimbles: await raiseFaces(trx, face),
        isForgotten: await forget(trx, parts.env, face),
      }))
      for (const uid of nimbles) links.reconfigure(uid)
      if (isForgotten) bus.publish(changed(face, 'face', face.uid))
    } catch (error) {
      log.error({ err: error, face: face.uid }, 'a person whose time is over could not be forgotten; tried again')
    }
  }
}

/** False where the person agreed anew meanwhile, or is gone. */
async function forget(trx: Trx, env: Services['env'], { tenant_id, id, uid }: DueFace): Promise<boolean> {
  const due = await dueFaces(trx)
    .where('face.tenant_id', '=', tenant_id)
    .where('face.id', '=', id)
    .forUpdate('face')
    .executeTakeFirst()
  if (!due) return false
  await eraseFace(trx, env, due)
  await trx
    .insertInto('trace')
    .values({
      ...{ tenant_id, uid: newUid(), code: 'face.expired', result: 'ok', response_code: 200 },
      ...{ object_kind: 'face', object_uid: uid },
    })
    .execute()
  return true
}

/** Begins at once and goes on until it is stopped. */
export function watchRetention(parts: Parts) {
  let running = Promise.resolve()
  const round = () => {
    running = running
      .then(() => forgetDue(parts))
      .catch((error: unknown) =>
        parts.log.error({ err: error }, 'who is to be forgotten could not be read; tried again'),
      )
  }
  const timer = setInterval(round, roundMs)
  round()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
