/**
 * UUID version 7 (RFC 9562): 48 bits of Unix milliseconds, then random bits.
 * @param random 10 random bytes
 */
export function uuidv7(ms: number, random: Uint8Array): string {
  const bytes = new Uint8Array(16)
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(ms / 2 ** (8 * (5 - i))) % 256
  bytes.set(random.subarray(0, 10), 6)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return formatUuid(bytes)
}

/** Milliseconds since the epoch that a version 7 UUID carries. */
export const uuidv7Ms = (uuid: string): number => Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Reads 16 bytes from `at` on. */
export const formatUuid = (b: Uint8Array, at = 0): string =>
  `${four(b, at)}-${two(b, at + 4)}-${two(b, at + 6)}-${two(b, at + 8)}-${two(b, at + 10)}${four(b, at + 12)}`
const two = (b: Uint8Array, at: number): string => `${hex[b[at] as number]}${hex[b[at + 1] as number]}`
const four = (b: Uint8Array, at: number): string => two(b, at) + two(b, at + 2)

/** The UUID in `urn:uuid:…` and the like, in lower case; null where there is none. */
export const endpointUuid = (text: string | null): string | null =>
  /(?<![\da-f])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-f])/i.exec(text ?? '')?.[0].toLowerCase() ?? null
