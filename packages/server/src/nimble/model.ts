/** Files of models for an edge server, part by part as it asks for them. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { linkModelPartBytes, type NimbleMessage } from '@sightline/contract/edge'
import type { Db } from '../db/database.ts'
import type { Env } from '../env.ts'
import { isNamedBy } from './desired.ts'
import type { Link } from './link.ts'
import type { Target } from './states.ts'

type Wish = Extract<NimbleMessage, { type: 'model.get' }>

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

  async function send({ stream, model_id, from }: Wish): Promise<void> {
    try {
      const bytes = await readPart({ db, env }, target, model_id, from)
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
