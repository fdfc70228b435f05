import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { api, type OpId } from '@sightline/contract'
import { pipelineCatalog, screens } from '@sightline/domain'
import { expect, test } from 'vitest'
import { en } from './en/index.ts'
import { pairs as enPairs } from './en/pairs.ts'
import { fr, pairs as frPairs } from './fr/index.ts'

const operations = Object.entries(api).flatMap(([feature, rows]) =>
  Object.keys(rows).map((name) => `${feature}.${name}` as OpId),
)

/** `['common.add', 'Add'], …` */
function leaves(tree: object, path: string[] = []): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[[...path, key].join('.'), value] as [string, string]] : leaves(value, [...path, key]),
  )
}
const english = leaves(en)
const french = new Map(leaves(fr))

test.each(operations)('%s says in both languages that it is done and that it failed', (id) => {
  for (const pairs of [enPairs, frPairs]) {
    expect(pairs[id].done).toMatch(/\S/)
    expect(pairs[id].failed).toMatch(/\S/)
  }
})

test('no pair is left of an operation that does not exist any more', () => {
  expect(Object.keys(enPairs).toSorted()).toEqual(operations.toSorted())
  expect(Object.keys(frPairs).toSorted()).toEqual(operations.toSorted())
})

test('both languages hold the same keys', () => {
  expect([...french.keys()].toSorted()).toEqual(english.map(([key]) => key).toSorted())
})

test('no text is empty, and none has fewer arguments in French than in English', () => {
  const args = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]).toSorted()
  for (const [key, text] of english) {
    expect(text, key).toMatch(/\S/)
    expect(args(french.get(key) ?? ''), key).toEqual(args(text))
  }
})

/** Every text that is read in French: the catalogue, the messages of operations, the help of pipeline elements. */
const allFrench: [string, string][] = [
  ...french,
  ...leaves(frPairs),
  ...pipelineCatalog.map(({ key, help_fr }): [string, string] => [key, help_fr]),
]
/** What is no sentence: addresses, times of day, arguments. */
const withoutCode = (text: string) => text.replace(/\{\{\w+\}\}|\w+:\/\/\S*|\b\w\w:\w\w\b/g, 'x')

test('French has a no-break space, and no other, before its double signs', () => {
  const wrong = allFrench.filter(([, text]) =>
    /[^\u00a0\u202f;:?!][;:?!]|[^\u00a0]»|«[^\u00a0]/.test(withoutCode(text)),
  )
  expect(wrong).toEqual([])
})

test('French has no straight apostrophe', () => {
  expect(allFrench.filter(([, text]) => text.includes("'"))).toEqual([])
})

test('every screen of this version has a title', () => {
  const without = ['/', '/400', '/404', '/500']
  const paths = screens.map(({ path }) => path).filter((path) => !without.includes(path))
  expect(paths.filter((path) => !Object.hasOwn(en.screen, path))).toEqual([])
})

/** Message ids that the contract's schemas write. */
function idsOfContract(): string[] {
  const folder = new URL('../../../contract/src', import.meta.url).pathname
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .flatMap((text) => [
      ...text.matchAll(/(?:\berror: |message: |, )'([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?::[^']*)?'[),}\s]/g),
    ])
    .map((match) => match[1] as string)
}

test('every field error that the contract can give has words', () => {
  const ids = [...new Set(idsOfContract())].filter((id) =>
    /invalid|required|taken|characters|length|range|too_|zone|line|password|greater|at_most|space|one_of|page_/.test(
      id,
    ),
  )
  expect(ids.length).toBeGreaterThan(20)
  expect(ids.filter((id) => !Object.hasOwn(en.message, id))).toEqual([])
})
