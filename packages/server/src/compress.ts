/** Answers of the API as small as the caller takes them. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** Smaller ones fit into one packet anyway. */
const leastBytes = 1400

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)]
const codings = {
  // Of all levels the one at which text of 100 KB still takes about a millisecond.
  br: (text: Buffer) => toBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (text: Buffer) => toGzip(text, { level: 3 }),
}

type Coding = keyof typeof codings

/** A text as it goes out, and in each coding in which it went out. */
export type Written = { plain: Buffer; coded: Map<Coding, Buffer> }
export const written = (text: string): Written => ({ plain: Buffer.from(text), coded: new Map() })

/** Whether `accept-encoding` names a coding, and not with `q=0` (RFC 9110, 12.5.3). */
const takes = (accepted: string, coding: string): boolean =>
  accepted.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/**
 * What to send of a text; sets the headers that say so. Never to be used for an answer with a secret: of what is
 * compressed together with text that somebody else chooses, the length tells the secret (BREACH).
 */
export async function compressed(reply: FastifyReply, { plain, coded }: Written): Promise<Buffer> {
  reply.header('vary', 'accept-encoding')
  const accepted = reply.request.headers['accept-encoding']
  const coding = (['br', 'gzip'] as const).find((name) => takes(String(accepted ?? ''), name))
  if (!coding || plain.length < leastBytes) return plain
  reply.header('content-encoding', coding)
  const bytes = coded.get(coding) ?? (await codings[coding](plain))
  coded.set(coding, bytes)
  return bytes
}
