import type { ZipPlace } from '@sightline/contract'
import type { Handlers } from '../mount.ts'
import { countryCentres } from './countries.ts'
import { findPlace } from './store.ts'
import { zipArea } from './zips.ts'

export const geo: Handlers<'geo'> = {
  async zip(asked, { app, principal }): Promise<ZipPlace> {
    const found = await findPlace(app, asked, principal.tenantId)
    if (found) return { found: true, precision: asked.zip ? 'zip' : 'city', ...found }
    const nothing = { found: false, city: null, state: null }
    const area = zipArea(asked.country, asked.zip)
    if (area) return { ...nothing, precision: 'area', ...area }
    const centre = countryCentres.get(asked.country)
    if (centre) return { ...nothing, precision: 'country', ...centre }
    const { map_center } = await app.db.instance((trx) =>
      trx.selectFrom('instance').select('map_center').executeTakeFirstOrThrow(),
    )
    return { ...nothing, precision: 'default', lat: map_center.lat, long: map_center.long }
  },
}
