/** Files of models, and galleries of faces, for an edge server, part by part as it asks for them. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { linkModelPartBytes, type NimbleMessage } from '@sightline/contract/edge'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Env } from '../env.ts'
import { galleryOf } from '../face/store.ts'
import { isNamedBy } from './desired.ts'
import type { Link } from './link.ts'
import type { Target } from './states.ts'

type Wish = Extract<NimbleMessage, { type: 'model.get' | 'gallery.get' }>

/** An edge server asks for the next part when it has the last one; one that asks for more at once waits for nothing. */
const mostWaiting = 4

/** Answers an edge server's wishes, one after the other. */
export function createModelSender(
  { db, env, log }: { db: Db; env: Pick<Env, 'dataDir'>; log: { error(about: object, text: string): void } },
  target: Target,
  link: () => Link | null,
): (wish: Wish) => void {
  let waiting = 0
  let done: Promise<unknown> = Promise.resolve()

  async function send(wish: Wish): Promise<void> {
    const { stream } = wish
    try {
      const bytes =
        wish.type === 'model.get'
          ? await readPart({ db, env }, target, wish.model_id, wish.from)
          : await readGalleryPart(db, target, wish.channel_id, wish.from)
      if (bytes) link()?.sendBytes(stream, bytes)
      else link()?.send({ type: 'model.none', stream, cause: 'model_missing' })
    } catch (error) {
      log.error({ err: error }, 'a model cannot be sent to the edge server')
      link()?.send({ type: 'model.none', stream, cause: 'portal_fault' })
    } finally {
      waiting--
    }
  }
  return (wish) => {
    if (waiting >= mostWaiting) return
    waiting++
    done = done.then(() => send(wish))
  }
}

/** Null when no channel of this edge server needs the model, or its file is gone. */
async function readPart(
  { db, env }: { db: Db; env: Pick<Env, 'dataDir'> },
  target: Target,
  modelUid: string,
  from: number,
): Promise<Uint8Array | null> {
  const row = await db.ingest((trx) =>
    trx
      .selectFrom('model')
      .innerJoin('media', (on) =>
        on.onRef('media.tenant_id', '=', 'model.tenant_id').onRef('media.id', '=', 'model.media_id'),
      )
      .select('media.path')
      .where('model.tenant_id', '=', target.tenantId)
      .where('model.uid', '=', modelUid)
      .where(isNamedBy({ tenant_id: target.tenantId, id: target.id }))
      .executeTakeFirst(),
  )
  if (!row?.path) return null
  const file = await open(join(env.dataDir, row.path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!file) return null
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(linkModelPartBytes), 0, linkModelPartBytes, from)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Null when the channel is none of this edge server's, its site allows no faces or knows none. */
async function readGalleryPart(db: Db, target: Target, channelUid: string, from: number): Promise<Uint8Array | null> {
  const { rows } = await db.ingest((trx) =>
    sql<{ part: Buffer | null }>`
      select substring(${galleryOf} from ${from + 1} for ${linkModelPartBytes}) as part
      from channel
      join site on site.tenant_id = channel.tenant_id and site.id = channel.site_id and site.faces_allowed
      join pipeline on pipeline.tenant_id = channel.tenant_id and pipeline.id = channel.pipeline_id
      where channel.tenant_id = ${target.tenantId} and channel.nimble_id = ${target.id} and channel.uid = ${channelUid}`.execute(
      trx,
    ),
  )
  return rows[0]?.part ?? null
}
