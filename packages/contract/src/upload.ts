import { modelMaxBytes } from '@sightline/domain'
import * as z from 'zod'
import { op } from './op.ts'

export const uploadReply = z
  .object({ path: z.string(), size: z.int(), sha256: z.string(), content_type: z.string() })
  .meta({ id: 'Upload' })

export const upload = {
  create: op({
    method: 'POST',
    path: '/upload',
    summary:
      'Upload an image (jpeg, png, webp; under 2 MB): re-encoded, answered as a path. Kind model (admin): an .onnx file of at most 200 MB',
    access: 'viewer_and_above',
    kind: 'upload',
    onDisk: { model: { maxBytes: modelMaxBytes, access: 'admin_and_above' } },
    input: z.strictObject({ kind: z.enum(['image', 'model'], { error: 'one_of' }).default('image') }),
    output: uploadReply,
  }),
  public: op({
    method: 'POST',
    path: '/upload/public',
    summary: 'Upload an image during onboarding; limited per address',
    access: 'public',
    kind: 'upload',
    perMinute: 10,
    input: z.strictObject({ kind: z.enum(['image'], { error: 'one_of' }).default('image') }),
    output: uploadReply,
  }),
}

export const media = {
  get: op({
    method: 'GET',
    path: '/media/{id}',
    summary: 'An uploaded image, a snapshot or a clip, within reach',
    access: 'public',
    kind: 'file',
    input: z.strictObject({ id: z.uuid() }),
    output: z.any(),
  }),
}
