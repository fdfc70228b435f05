/**
 * A stored password goes home only: to the hosts that the camera's streams had when it was typed. Whoever could send it
 * elsewhere, by an address of their own, could read it there.
 */
import { addressPlace } from '@sightline/contract'
import { invalid } from '../refusal.ts'
import type { Services } from '../services.ts'
import type { StreamRow } from '../source/store.ts'
import { type DeviceRow, passwordPlace } from './store.ts'

/** Whether all addresses are at hosts that are among the others. */
export function isHome(addresses: readonly string[], home: readonly string[]): boolean {
  const hosts = new Set(home.map((address) => addressPlace(address)?.host))
  return addresses.every((address) => hosts.has(addressPlace(address)?.host))
}

/** All addresses of a camera. */
export const homeOf = (device: Pick<DeviceRow, 'stream_address'>, streams: readonly Pick<StreamRow, 'address'>[]) => [
  device.stream_address,
  ...streams.map(({ address }) => address),
]

/**
 * A password to store, sealed: absent or masked keeps the stored one, empty or null clears it.
 * @param home where the camera's streams are until now @param next where they are to be
 * @throws 400 where the stored one would go to another host
 */
export function passwordToStore(
  { secrets }: Pick<Services, 'secrets'>,
  device: DeviceRow,
  typed: string | null | undefined,
  home: readonly string[],
  next: readonly string[],
): string | null | undefined {
  if (typed !== undefined && typed !== '****') return typed ? secrets.seal(typed, passwordPlace(device.uid)) : null
  if (device.password !== null && !isHome(next, home)) throw invalid({ password: ['password_again'] })
  return undefined
}
