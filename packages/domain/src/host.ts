/** A host name (RFC 1123) or an IPv4/IPv6 address, without port. */
export function isHost(value: string): boolean {
  if (value.length > 253) return false
  if (value.includes(':')) return isIpv6(value.replace(/^\[|\]$/g, ''))
  if (/^[\d.]+$/.test(value)) return isIpv4(value)
  return value.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label))
}

export const isIpv4 = (value: string): boolean =>
  /^\d{1,3}(\.\d{1,3}){3}$/.test(value) &&
  value.split('.').every((part) => Number(part) <= 255 && String(Number(part)) === part)

function isIpv6(value: string): boolean {
  const [head, tail, more] = value.split('::')
  if (more !== undefined || head === undefined) return false
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const all = [...groups(head), ...(tail === undefined ? [] : groups(tail))]
  const last = all.at(-1)
  const v4 = last?.includes('.') ?? false
  if (v4 && !isIpv4(last as string)) return false
  const size = all.length + (v4 ? 1 : 0)
  const hex = v4 ? all.slice(0, -1) : all
  return hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (tail === undefined ? size === 8 : size <= 7)
}

/** Prefix length of the largest IPv4 network that is searched: those with more addresses take too long to be asked one by one. */
export const shortestSearched = 22

/**
 * The network to ask one by one around an address, `192.168.1.20/24` → `192.168.1.0/24`: of a large network the /24 that
 * the address is in. Null for what is not searched: none of IPv4, not private, or nobody beside it.
 */
export function searchableNetwork(address: string): string | null {
  const [host = '', bits = '24'] = address.split('/')
  const parts = host.split('.').map(Number)
  if (!isIpv4(host) || !/^\d{1,2}$/.test(bits) || Number(bits) > 30 || !isPrivate(parts)) return null
  const prefix = Number(bits) < shortestSearched ? 24 : Number(bits)
  const size = 2 ** (32 - prefix)
  const value = parts.reduce((sum, part) => sum * 256 + part, 0)
  const first = value - (value % size)
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${prefix}`
}

/** Of the networks that nobody routes (RFC 1918). */
const isPrivate = ([a = 0, b = 0]: readonly number[]): boolean =>
  a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)
