import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { en } from './en/index.ts'
import { i18n, showLanguage } from './index.ts'
import { edgeName, licenseName, storedEdgeName } from './seeded.ts'

// There is no page in this test: only the words change.
Object.assign(globalThis, { document: { documentElement: {} } })
afterEach(() => i18n.changeLanguage('en'))

test('the names that the portal was installed with are the ones that are translated', () => {
  const seed = readFileSync(new URL('../../../server/src/db/seed.ts', import.meta.url), 'utf8')
  for (const name of [en.nimble.seeded, en.license.seeded]) expect(seed).toContain(`'${name}'`)
})

test('seeded names follow the language', async () => {
  await showLanguage('fr')
  expect(edgeName({ name: 'Local edge server', is_local: true })).toBe('Serveur edge local')
  expect(licenseName({ license_name: 'Community licence', is_builtin: true })).toBe('Licence communautaire')
})

test('a seeded name may be written as the screen shows it', async () => {
  const edges = [
    { name: 'Local edge server', is_local: true },
    { name: 'Cellar', is_local: false },
  ]
  await showLanguage('fr')
  expect(storedEdgeName(' serveur edge local', edges)).toBe('Local edge server')
  expect(['Local edge server', 'Cellar', 'Attic'].map((written) => storedEdgeName(written, edges))).toEqual([
    ...['Local edge server', 'Cellar', 'Attic'],
  ])
})

test('a name that somebody gave stays as it is', async () => {
  await showLanguage('fr')
  expect(edgeName({ name: 'Cellar', is_local: true })).toBe('Cellar')
  expect(edgeName({ name: 'Local edge server', is_local: false })).toBe('Local edge server')
  expect(licenseName({ license_name: 'Ours', is_builtin: true })).toBe('Ours')
})
