import { defaultOrganizationId } from '@sightline/domain'
import { keepMedia, mediaUrl } from '../media/store.ts'
import { keepUploadedModel } from '../model/store.ts'
import type { Handlers, PublicCtx } from '../mount.ts'
import { invalid, Refusal } from '../refusal.ts'
import { cleanPicture } from './store.ts'

export const upload: Handlers<'upload'> = {
  async create(_, ctx, file) {
    if (!('file' in file)) return keep(ctx, file.bytes, ctx.principal)
    const path = await keepUploadedModel(ctx.app, ctx, file)
    return { path, size: file.size, sha256: file.sha256, content_type: 'application/octet-stream' }
  },

  async public(_, ctx, file) {
    const { db } = ctx.app
    const instance = await db.instance((trx) => trx.selectFrom('instance').select('onboarded_at').executeTakeFirst())
    if (instance?.onboarded_at) throw new Refusal(403, 'Only while the portal is set up.', { code: 'forbidden' })
    const { tenant_id } = await db.instance((trx) =>
      trx
        .selectFrom('organization')
        .select('tenant_id')
        .where('uid', '=', defaultOrganizationId)
        .executeTakeFirstOrThrow(),
    )
    if ('file' in file) throw invalid({ file: ['not_an_image'] })
    return keep(ctx, file.bytes, { tenantId: tenant_id, userId: null })
  },
}

async function keep({ app }: PublicCtx, file: Buffer, owner: { tenantId: number; userId: number | null }) {
  const { bytes, contentType, sha256 } = await cleanPicture(file)
  const uid = await keepMedia(app, {
    tenantId: owner.tenantId,
    kind: 'image',
    contentType,
    body: bytes,
    createdBy: owner.userId,
  })
  return { path: mediaUrl(app.env, uid), size: bytes.length, sha256, content_type: contentType }
}
