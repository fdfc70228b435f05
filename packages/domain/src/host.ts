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
