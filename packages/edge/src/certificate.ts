/**
 * A self-signed X.509 certificate of an Ed25519 key (RFC 5280, RFC 8410), enough for TLS 1.3: the portal trusts no
 * certificate authority here but compares the certificate's key with the one it has pinned.
 */
import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'

/** Key and certificate in the form that `node:tls` takes. @param privatePem PKCS #8 */
export function selfSigned(privatePem: string, now: Date): { key: string; cert: string } {
  const privateKey = createPrivateKey(privatePem)
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  // Ed25519: the identifier has no parameters.
  const algorithm = sequence(oid([1, 3, 101, 112]))
  const name = sequence(set(sequence(oid([2, 5, 4, 3]), der(0x0c, Buffer.from('Sightline edge server')))))
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(new Date(now.getTime() - dayMs)), time(new Date(now.getTime() + 3650 * dayMs))),
    name,
    publicKey,
  )
  const signature = sign(null, toBeSigned, privateKey)
  const certificate = sequence(toBeSigned, algorithm, der(0x03, Buffer.concat([Buffer.of(0), signature])))
  return { key: privatePem, cert: pem('CERTIFICATE', certificate) }
}

const dayMs = 86_400_000

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.of(tag, ...length), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const set = (...parts: Buffer[]) => der(0x31, ...parts)

/** The first two arcs share a byte; the others are below 128 here. */
const oid = ([first = 0, second = 0, ...rest]: number[]) => der(0x06, Buffer.of(first * 40 + second, ...rest))

/** UTCTime up to 2049, then GeneralizedTime (RFC 5280, 4.1.2.5). */
function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END ${label}-----\n`
