import { isIpv4, shortestSearched } from '@sightline/domain'
import ipaddr from 'ipaddr.js'

/**
 * Host addresses of an IPv4 network in CIDR form, without its network and broadcast addresses.
 * @returns why not, as a message id: only private networks of at most a /22 are searched
 */
export function rangeAddresses(
  range: string,
): { addresses: string[] } | { fault: 'range_invalid' | 'range_not_private' | 'range_too_large' } {
  const [address = '', bits = '', more] = range.trim().split('/')
  const prefix = Number(bits)
  if (more !== undefined || !isIpv4(address) || !/^\d{1,2}$/.test(bits) || prefix > 32)
    return { fault: 'range_invalid' }
  if (prefix < shortestSearched) return { fault: 'range_too_large' }
  const size = 2 ** (32 - prefix)
  const given = toNumber(address)
  const first = given - (given % size)
  // The private networks begin and end at wider borders than a /22: where one address lies, all do.
  if (ipaddr.IPv4.parse(address).range() !== 'private') return { fault: 'range_not_private' }
  const all = Array.from({ length: size }, (_, i) => toAddress(first + i))
  return { addresses: size > 2 ? all.slice(1, -1) : all }
}

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
