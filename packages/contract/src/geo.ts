import * as z from 'zod'
import { country, optionalLine, zip } from './field.ts'
import { op } from './op.ts'

/**
 * Where a zip code or a town is. Not found: the area of the zip code where that is known, else the middle of its country,
 * else that of this instance's map.
 */
export const zipPlace = z
  .object({
    found: z.boolean(),
    precision: z.enum(['zip', 'city', 'area', 'country', 'default']),
    lat: z.number(),
    long: z.number(),
    /** As the geocoder names them; null where it does not say. */
    city: z.string().nullable(),
    state: z.string().nullable(),
  })
  .meta({ id: 'ZipPlace' })
export type ZipPlace = z.infer<typeof zipPlace>

export const geo = {
  zip: op({
    method: 'GET',
    path: '/geo/zip',
    summary:
      'Where a zip code, or without one a town, is, by the geocoder of this instance; where it does not know or cannot be asked, a default that is said to be one',
    access: 'admin_and_above',
    // A person types one after the other; the geocoder is often somebody else's and counts too.
    perMinute: 30,
    input: z
      .strictObject({
        country: country.pipe(z.string().min(1, 'required')),
        zip: zip.default(''),
        city: optionalLine(2, 100).default(''),
      })
      .refine((asked) => asked.zip !== '' || asked.city !== '', { path: ['zip'], error: 'required' }),
    output: zipPlace,
  }),
}
