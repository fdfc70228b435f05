/**
 * Licence keys: `SL1.<payload>.<signature>`, both base64url. The payload is the JSON of `terms`, the signature is
 * Ed25519 (RFC 8032) over the text before its dot. Verified offline, against the vendor's public key where
 * LICENSE_PUBLIC_KEY gives one, else against the instance's own.
 */
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import * as z from 'zod'
import { invalid } from '../refusal.ts'

const prefix = 'SL1'
/** DER header of an Ed25519 SubjectPublicKeyInfo (RFC 8410); the raw key's 32 bytes follow. */
const spki = Buffer.from('302a300506032b6570032100', 'hex')

const terms = z.strictObject({
  /** Channels that may exist at once on the edge servers bound to it. */
  channels: z.int().min(1).max(1_000_000),
  from: z.iso.datetime({ offset: true }).nullable().default(null),
  until: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Who it was made for; told, not enforced. */
  customer: z.string().max(255).default(''),
  /** Keys of the bundles that it covers; null covers all. */
  bundles: z.array(z.string().max(32)).min(1).max(64).nullable().default(null),
  /** Public key of who signed, as the link writes it: tells a key of another instance from a forged one. */
  issuer: z.string().max(64).default(''),
  /** The instance on which it counts alone; null: on any that takes the signature. */
  instance: z.uuid().nullable().default(null),
  /** Makes two keys of equal terms different. */
  serial: z.string().min(1).max(64),
})
export type LicenseTerms = z.output<typeof terms>

/** @param text raw 32 bytes in base64, or PEM; null when it is neither */
export function readPublicKey(text: string): KeyObject | null {
  try {
    if (text.includes('-----BEGIN')) {
      const key = createPublicKey(text)
      return key.asymmetricKeyType === 'ed25519' ? key : null
    }
    const raw = Buffer.from(text.trim(), 'base64')
    if (raw.length !== 32) return null
    return createPublicKey({ key: Buffer.concat([spki, raw]), format: 'der', type: 'spki' })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}

export function signLicense(privateKey: KeyObject, draft: z.input<typeof terms>): string {
  const payload = Buffer.from(JSON.stringify(terms.parse(draft))).toString('base64url')
  const signed = `${prefix}.${payload}`
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}

/** Whose signatures count, and on which instance. */
export type Signers = { publicKeys: readonly KeyObject[]; instance: string }

/** What a key says, what is signed of it, and the signature; null when it is no key. */
function partsOf(key: string) {
  const [head, payload, signature, more] = key.replace(/\s+/g, '').split('.')
  if (head !== prefix || !payload || !signature || more !== undefined) return null
  return { payload, signed: Buffer.from(`${prefix}.${payload}`), proof: Buffer.from(signature, 'base64url') }
}

/** Whether one of `publicKeys` signed a key, whatever it says. */
export function isSignedBy(key: string, publicKeys: readonly KeyObject[]): boolean {
  const parts = partsOf(key)
  return parts !== null && publicKeys.some((publicKey) => verify(null, parts.signed, publicKey, parts.proof))
}

/**
 * Terms of a key that one of `publicKeys` signed, for any instance or the one with this uid.
 * Refuses with a field error on `license_key`: license_key_malformed, license_key_signature, license_key_other_instance,
 * license_key_for_other_instance, license_expired.
 */
export function verifyLicense(key: string, { publicKeys, instance }: Signers, now: Date): LicenseTerms {
  const refuse = (why: string) => invalid({ license_key: [why] })
  const parts = partsOf(key)
  if (!parts) throw refuse('license_key_malformed')
  const read = terms.safeParse(parseJson(Buffer.from(parts.payload, 'base64url').toString('utf8')))
  if (!isSignedBy(key, publicKeys)) {
    const issuer = read.success ? readPublicKey(read.data.issuer) : null
    throw refuse(issuer && isSignedBy(key, [issuer]) ? 'license_key_other_instance' : 'license_key_signature')
  }
  if (!read.success) throw refuse('license_key_malformed')
  if (read.data.instance !== null && read.data.instance.toLowerCase() !== instance)
    throw refuse('license_key_for_other_instance')
  if (read.data.until !== null && Date.parse(read.data.until) <= now.getTime()) throw refuse('license_expired')
  return read.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
