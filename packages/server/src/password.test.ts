import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createPasswords, isCommon } from './password.ts'

const passwords = createPasswords(randomBytes(32))

describe('hashes', () => {
  test('the right password verifies, another does not, and two hashes of one password differ', async () => {
    const one = await passwords.hash('Correct-Horse-7')
    expect(one).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
    expect(await passwords.hash('Correct-Horse-7')).not.toBe(one)
    expect(await passwords.verify(one, 'Correct-Horse-7')).toBe(true)
    expect(await passwords.verify(one, 'correct-horse-7')).toBe(false)
    expect(await passwords.verify(one, 'Correct-Horse-7 ')).toBe(false)
  })

  test('every character of 256 counts', async () => {
    const long = `${'a'.repeat(254)}1!`
    const hashed = await passwords.hash(long)
    expect(await passwords.verify(hashed, `${'a'.repeat(254)}1?`)).toBe(false)
    expect(await passwords.verify(hashed, long)).toBe(true)
  })

  test('the same letter in two Unicode forms is the same password', async () => {
    const hashed = await passwords.hash('caf\u00e9-Noir-9')
    expect(await passwords.verify(hashed, 'cafe\u0301-Noir-9')).toBe(true)
  })

  test('without a hash nothing verifies, not even the stand-in', async () => {
    expect(await passwords.verify(null, 'nobody has this password')).toBe(false)
  })

  test('another pepper cannot verify', async () => {
    const hashed = await passwords.hash('Correct-Horse-7')
    expect(await createPasswords(randomBytes(32)).verify(hashed, 'Correct-Horse-7')).toBe(false)
  })
})

test('of a rush so many wait, and what is beyond is refused at once and counts against nobody', async () => {
  const hashed = await passwords.hash('Correct-Horse-7')
  const rush = Array.from({ length: 204 }, () => passwords.verify(hashed, 'Wrong-Horse-7'))
  expect(() => passwords.refuseMore()).toThrow(expect.objectContaining({ status: 503, code: 'busy' }))
  await expect(passwords.verify(hashed, 'Correct-Horse-7')).rejects.toMatchObject({ status: 503, code: 'busy' })
  expect(new Set(await Promise.all(rush))).toEqual(new Set([false]))
  // Unknown names among them leave nothing broken behind.
  expect([await passwords.verify(null, 'x'), await passwords.verify(hashed, 'Correct-Horse-7')]).toEqual([false, true])
}, 120_000)

describe('common passwords are refused', () => {
  test('all of the list', () => {
    const list = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
    expect(list.length).toBeGreaterThan(3000)
    expect(list.filter((password) => !isCommon(password))).toEqual([])
  })

  test.each([
    'Password1!',
    'P@ssw0rd1',
    'Summer2026!',
    '!qaz2wsx',
    'Qwerty123!',
    'Sightline1!',
    '12345678!',
    'Aa1!Aa1!',
  ])('%s', (password) => expect(isCommon(password)).toBe(true))

  test('the names of the person and the organization, with something around', () => {
    const own = ['Marguerite', 'Northwind Traders', 'marguerite@northwind.example']
    expect(isCommon('Marguerite1!', own)).toBe(true)
    expect(isCommon('Northwind#2026', own)).toBe(true)
    expect(isCommon('Marguerite1!')).toBe(false)
  })

  test.each(['Correct-Horse-7', 'tr0ubador&Stapler', 'dragon#48213975', 'Übergrößenträger-8', '1qK!9vT#2mZ'])(
    '%s is accepted',
    (password) => expect(isCommon(password, ['Ada', 'Lovelace'])).toBe(false),
  )
})
