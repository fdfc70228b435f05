import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { isOldStill, removeFiles } from '../media/store.ts'
import { rawCutoff } from './partitions.ts'
import { hourMs } from './rollup.ts'

const dayMs = 24 * hourMs
/** Who did what is kept for a year and a little more, so that two years' same month can be compared. */
const traceDays = 400
/** An uploaded picture becomes part of something by then, or nobody waits for it any more. */
const uploadHours = 24
/** A large file that nobody confirmed as a model. */
const modelUploadHours = 2
const rowsPerRound = 5000

/**
 * Ends what hangs on something that is gone: pictures and clips of events that are over their time, stills of cameras that
 * nothing shows, uploads that are part of nothing or no longer, files whose upload a crash cut short, and traces of long
 * ago. Files go after their rows: a kill in between leaves a file that nobody can ask for, never a row without its file.
 * @param dataDir where kept files are
 */
export async function endLeftovers(db: Db, now: number, dataDir: string): Promise<void> {
  const tenants = await db.owner((trx) => trx.selectFrom('organization').select(['tenant_id', 'raw_days']).execute())
  for (const { tenant_id, raw_days } of tenants) {
    // Its row is made when the event comes in, so it never goes before the event.
    const events = sql<SqlBool>`kind in ('snapshot', 'clip') and created_by is null and created_at < ${new Date(rawCutoff(now, raw_days))}`
    // Named by the path that the upload answered, at whose end its id is.
    const named = (column: string) => sql`right(${sql.ref(column)}, 36) = media.uid::text`
    const uploads = sql<SqlBool>`kind = 'image' and created_at < ${new Date(now - uploadHours * hourMs)}
      and not exists (select from site where site.tenant_id = media.tenant_id and ${named('site.image')})
      and not exists (select from instance where ${named('instance.logo')} or ${named('instance.logo_dark')})`
    const models = sql<SqlBool>`kind = 'model' and created_at < ${new Date(now - modelUploadHours * hourMs)}
      and not exists (select from model where model.tenant_id = media.tenant_id and model.media_id = media.id)`
    const faces = sql<SqlBool>`kind = 'face' and created_at < ${new Date(now - hourMs)}
      and not exists (select from face_picture p where p.tenant_id = media.tenant_id and p.media_id = media.id)`
    for (const over of [events, isOldStill, uploads, models, faces]) await endMedia(db, tenant_id, over, dataDir)
  }
  await endCutUploads(join(dataDir, 'uploads'), now)
  await inRounds(async () => {
    const { rows } = await db.owner((trx) =>
      sql`delete from trace where (tenant_id, id) in (
        select tenant_id, id from trace where at < ${new Date(now - traceDays * dayMs)} limit ${rowsPerRound})
        returning 1`.execute(trx),
    )
    return rows.length
  })
}

async function endMedia(db: Db, tenantId: number, over: typeof isOldStill, dataDir: string) {
  await inRounds(async () => {
    const gone = await db.owner(async (trx) => {
      const { rows } = await sql<{ id: number }>`select id from media where tenant_id = ${tenantId} and ${over}
        limit ${rowsPerRound} for update`.execute(trx)
      // Judged again: what was being taken into use is part of something by now.
      return trx
        .deleteFrom('media')
        .where('tenant_id', '=', tenantId)
        .where(sql<SqlBool>`id = any(${rows.map(({ id }) => id)}::int4[])`)
        .where(over)
        .returning('path')
        .execute()
    })
    await removeFiles({ dataDir }, gone)
    return gone.length
  })
}

/** Large files lie there while they come in and until they are looked at (`input.ts`), which is over by then. */
async function endCutUploads(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(noneThere)
  for (const name of names) {
    const file = await stat(join(folder, name)).catch(goneMeanwhile)
    if (file && file.mtimeMs < now - modelUploadHours * hourMs) await rm(join(folder, name), { force: true })
  }
}

/** Nothing large was ever uploaded, or the file was taken into use just now. */
function noneThere(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
function goneMeanwhile(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

/** A transaction a round, so that nobody waits long for a lock. */
async function inRounds(round: () => Promise<number>) {
  while ((await round()) === rowsPerRound);
}
