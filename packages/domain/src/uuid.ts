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

export function formatUuid(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function parseUuid(text: string): Uint8Array {
  const hex = text.replaceAll('-', '')
  return Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16))
}
