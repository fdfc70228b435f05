import type { ZipPlace } from '@sightline/contract'
import type { Handlers } from '../mount.ts'
import type { Services } from '../services.ts'
import { countryCentres } from './countries.ts'
import { createGeocoder, type Found, type Geocoder } from './geocoder.ts'

export const geo: Handlers<'geo'> = {
  async zip(asked, { app }): Promise<ZipPlace> {
    const found = await ask(app, asked)
    if (found) return { found: true, precision: asked.zip ? 'zip' : 'city', ...found }
    const centre = countryCentres.get(asked.country)
    const nothing = { found: false, city: null, state: null }
    if (centre) return { ...nothing, precision: 'country', ...centre }
    const { map_center } = await app.db.instance((trx) =>
      trx.selectFrom('instance').select('map_center').executeTakeFirstOrThrow(),
    )
    return { ...nothing, precision: 'default', lat: map_center.lat, long: map_center.long }
  },
}

/** One for each portal, as what it remembers is the portal's. */
const geocoders = new WeakMap<Services['env'], Geocoder>()

async function ask({ env, log }: Services, asked: Parameters<Geocoder['find']>[0]): Promise<Found | null> {
  if (env.geocoderUrl === null) return null
  const geocoder = geocoders.get(env) ?? createGeocoder(env.geocoderUrl)
  geocoders.set(env, geocoder)
  try {
    return await geocoder.find(asked)
  } catch (error) {
    log.warn(`the geocoder could not be asked: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}
