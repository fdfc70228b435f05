import { defaultOrganizationId } from '@sightline/domain'
import type { UploadedFile } from '../input.ts'
import { keepMedia, mediaUrl } from '../media/store.ts'
import type { Handlers, PublicCtx } from '../mount.ts'
import { Refusal } from '../refusal.ts'
import { cleanPicture } from './store.ts'

export const upload: Handlers<'upload'> = {
  create: (_, ctx, file) => keep(ctx, file, { tenantId: ctx.principal.tenantId, userId: ctx.principal.userId }),

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
    return keep(ctx, file, { tenantId: tenant_id, userId: null })
  },
}

async function keep({ app }: PublicCtx, file: UploadedFile, owner: { tenantId: number; userId: number | null }) {
  const { bytes, contentType, sha256 } = await cleanPicture(file.bytes)
  const uid = await keepMedia(app, {
    tenantId: owner.tenantId,
    kind: 'image',
    contentType,
    body: bytes,
    createdBy: owner.userId,
  })
  return { path: mediaUrl(app.env, uid), size: bytes.length, sha256, content_type: contentType }
}
