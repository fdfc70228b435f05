import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())

const password = 'Correct-Horse-7'
const person = async (given = {}) =>
  t.make.user('admin', { password_hash: await t.services.passwords.hash(password), ...given })

describe('sign-in', () => {
  test('answers the person with a token for changes, and a cookie that scripts cannot read', async () => {
    const { username, email } = await person()
    for (const by of [{ username }, { email }, { username: username.toUpperCase() }]) {
      const browser = t.stranger()
      const { status, body, headers } = await browser.call('auth.login', { ...by, password })
      expect(status).toBe(200)
      expect(body.response).toMatchObject({
        username,
        role_key: 'admin',
        organization: { organization_name: 'Default' },
      })
      expect(headers['set-cookie']).toMatch(/^sightline=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
      expect((await browser.call('user.info')).status).toBe(200)
    }
  })
})
