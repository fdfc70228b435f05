import { mostFacePictures, mostFaces } from '@sightline/domain'
import * as z from 'zod'
import { id, person, stored, version } from './field.ts'
import { op } from './op.ts'

export const facePicture = z
  .object({
    picture_id: z.uuid(),
    /** The square around the face, for administrators; null for others. */
    url: z.string().nullable(),
    /** Height of the face in the picture that was uploaded, in pixels. */
    face_px: z.int(),
    /** Whether each model that compares faces at the site has read it; null while there is none. */
    is_read: z.boolean().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'FacePicture' })
export type FacePicture = z.infer<typeof facePicture>

export const faceEntity = z
  .object({
    face_id: z.uuid(),
    face_name: z.string(),
    site_id: z.uuid(),
    /** Oldest first; at most so many that a person can be told apart in each light. */
    pictures: z.array(facePicture).max(mostFacePictures),
    /** When the person was enrolled, or agreed anew. */
    agreed_at: z.string(),
    /** When all of it is deleted unless the person agrees anew; null: not before somebody does. */
    kept_until: z.string().nullable(),
    ...stored,
  })
  .meta({ id: 'Face' })
export type Face = z.infer<typeof faceEntity>

export const face = {
  list: op({
    method: 'GET',
    path: '/face/list',
    summary: 'People whose faces a site knows, by name; their pictures for administrators',
    access: 'viewer_and_above',
    input: z.strictObject({ site_id: id }),
    output: z.array(faceEntity).max(mostFaces),
  }),
  create: op({
    method: 'PUT',
    path: '/face',
    summary: 'Add a person to the faces of a site that allows them; pictures follow',
    access: 'admin_and_above',
    input: z.strictObject({ site_id: id, face_name: person }),
    output: faceEntity,
    status: 201,
  }),
  update: op({
    method: 'PATCH',
    path: '/face',
    summary: 'Rename a person',
    access: 'admin_and_above',
    input: z.strictObject({ face_id: id, face_name: person, version }),
    output: faceEntity,
  }),
  renew: op({
    method: 'POST',
    path: '/face/renew',
    summary: 'Note that a person agreed anew: the days for which they are kept begin again',
    access: 'admin_and_above',
    input: z.strictObject({ face_id: id }),
    output: faceEntity,
  }),
  delete: op({
    method: 'DELETE',
    path: '/face',
    summary: 'Delete a person with pictures and vectors, here and at edge servers; their events name nobody any more',
    access: 'admin_and_above',
    input: z.strictObject({ face_id: id }),
    output: z.object({ face_id: z.uuid() }),
  }),
  addPicture: op({
    method: 'POST',
    path: '/face/picture',
    summary:
      'Add a picture of a person (jpeg, png, webp; under 2 MB) in which the models of the site find one face; only the square around it is kept',
    access: 'admin_and_above',
    kind: 'upload',
    input: z.strictObject({ face_id: id }),
    output: faceEntity,
  }),
  deletePicture: op({
    method: 'DELETE',
    path: '/face/picture',
    summary: 'Delete a picture of a person with its vectors, here and at edge servers',
    access: 'admin_and_above',
    input: z.strictObject({ picture_id: id }),
    output: z.object({ picture_id: z.uuid() }),
  }),
  read: op({
    method: 'POST',
    path: '/face/read',
    summary:
      'Have the models in use at a site read pictures that they have not read, at most 20; answers how many remain',
    access: 'admin_and_above',
    input: z.strictObject({ site_id: id }),
    output: z.object({ remaining: z.int() }),
  }),
}
