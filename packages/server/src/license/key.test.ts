import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { Refusal } from '../refusal.ts'
import { readPublicKey, signLicense, verifyLicense } from './key.ts'

const vendor = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')
const instance = '0190e1f4-7c1a-7b3e-8000-2f6a1c9d4e55'
const now = new Date('2026-05-04T12:00:00Z')
const key = signLicense(vendor.privateKey, { channels: 64, until: '2027-01-01T00:00:00Z', serial: 'a1' })
const why = (text: string, at = now) => {
  try {
    verifyLicense(text, { publicKeys: [vendor.publicKey], instance }, at)
  } catch (error) {
    if (error instanceof Refusal) return error.errors?.license_key?.[0]
    throw error
  }
}

it('reads what it signed, also broken over lines as a mail does', () => {
  expect(verifyLicense(key, { publicKeys: [other.publicKey, vendor.publicKey], instance }, now)).toEqual({
    channels: 64,
    from: null,
    until: '2027-01-01T00:00:00Z',
    customer: '',
    bundles: null,
    issuer: '',
    instance: null,
    serial: 'a1',
  })
  expect(why(key.replace(/(.{40})/g, '$1\n'))).toBeUndefined()
})

it.each([
  ['no key at all', 'hello!', 'license_key_malformed'],
  ['another scheme', key.replace('SL1', 'SL2'), 'license_key_malformed'],
  ['a part too many', `${key}.x`, 'license_key_malformed'],
  ['another signer', signLicense(other.privateKey, { channels: 1, serial: 'b' }), 'license_key_signature'],
  ['more channels than were signed', tamper(key), 'license_key_signature'],
])('refuses %s', (_, text, expected) => {
  expect(why(text)).toBe(expected)
})

it('refuses a key whose time is over', () => {
  expect(why(key, new Date('2027-01-01T00:00:00Z'))).toBe('license_expired')
})

it('reads a public key from base64 or PEM, and nothing else', () => {
  const pem = vendor.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const raw = vendor.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  for (const text of [pem, raw]) expect(readPublicKey(text)?.equals(vendor.publicKey)).toBe(true)
  expect(readPublicKey('c2hvcnQ=')).toBeNull()
  expect(readPublicKey('-----BEGIN PUBLIC KEY-----\nxx\n-----END PUBLIC KEY-----')).toBeNull()
})

function tamper(text: string): string {
  const [head, payload, signature] = text.split('.') as [string, string, string]
  const terms = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const forged = Buffer.from(JSON.stringify({ ...terms, channels: 9999 })).toString('base64url')
  return [head, forged, signature].join('.')
}
