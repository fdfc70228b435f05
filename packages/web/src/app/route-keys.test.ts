import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../routes/_app/', import.meta.url)
const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))
/** Those that load what an id of the address names. */
const ofIds = pages.filter(({ text }) => /loaderDeps: \(\{ search: \{[^}]*\b(cuid|sid|did|cid|nid|eid)\b/.test(text))

test('from one thing to another of its kind every screen begins anew: what was typed, or made once, for the first is not met at the second', () => {
  expect(ofIds.length).toBeGreaterThan(15)
  expect(ofIds.filter(({ text }) => !/<[A-Z]\w*\s+key=\{/.test(text)).map(({ name }) => name)).toEqual([])
})
