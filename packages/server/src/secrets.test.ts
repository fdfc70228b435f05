import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSecrets } from './secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'sl-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))
const place = { table: 'device', column: 'password', row: 'a' }

test('a secret opens where it was sealed, and nowhere else', () => {
  const secrets = openSecrets(join(folder, 'instance.key'))
  const sealed = secrets.seal('pässword ', place)
  expect(sealed).not.toContain('pässword')
  expect(secrets.open(sealed, place)).toBe('pässword ')
  expect(() => secrets.open(sealed, { ...place, row: 'b' })).toThrow()
  expect(() => secrets.open(sealed, { ...place, column: 'username' })).toThrow()
})

test('the same text is sealed differently each time, and a changed byte is noticed', () => {
  const secrets = openSecrets(join(folder, 'instance.key'))
  const sealed = secrets.seal('x', place)
  expect(secrets.seal('x', place)).not.toBe(sealed)
  const flipped = sealed.slice(0, -3) + (sealed.at(-3) === 'A' ? 'B' : 'A') + sealed.slice(-2)
  expect(() => secrets.open(flipped, place)).toThrow()
})

test('the key file is readable by its owner alone and the same after a restart', () => {
  const file = join(folder, 'instance.key')
  const sealed = openSecrets(file).seal('kept', place)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(openSecrets(file).open(sealed, place)).toBe('kept')
  expect(openSecrets(file).pepper).toEqual(openSecrets(file).pepper)
})

test('another instance says that it has another key', () => {
  const sealed = openSecrets(join(folder, 'instance.key')).seal('x', place)
  expect(() => openSecrets(join(folder, 'other.key')).open(sealed, place)).toThrow(/sealed with key/)
})
