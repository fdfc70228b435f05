import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import type { Found, Geocoder } from './geocoder.ts'

/**
 * Where a zip code or a town is; null where the geocoder does not know, cannot be asked or is not there.
 * @throws 503 `busy` while the geocoder is asked too much
 */
export async function findPlace(
  { geocoder, log }: Pick<Services, 'geocoder' | 'log'>,
  ...asked: Parameters<Geocoder['find']>
): Promise<Found | null> {
  try {
    return (await geocoder?.find(...asked)) ?? null
  } catch (error) {
    if (error instanceof Refusal) throw error
    log.warn(`the geocoder could not be asked: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}
