import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { en } from './en/index.ts'
import { fr } from './fr/index.ts'

const folder = new URL('..', import.meta.url).pathname
const sources = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|routeTree|^i18n\/(en|fr)\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
const all = sources.map(({ text }) => text).join('\n')

const leaves = (tree: object, path: string[] = []): string[] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[...path, key].join('.')] : leaves(value, [...path, key]),
  )

/** `usecase.name.${key}` → a pattern of every key that it can become. */
const patterns = [...all.matchAll(/`([a-zA-Z]+(?:\.[\w/]*)*\$\{[^`]*)`/g)].map(
  ([, template = '']) =>
    new RegExp(
      `^${template
        .split(/\$\{[^}]*\}/)
        .map((part) => part.replace(/[.*+?^()|[\]\\/]/g, '\\$&'))
        .join('[^.]+')}(?:_zero|_one|_other)?$`,
    ),
)

test('no word of the catalogue is without a place on a screen', () => {
  const unused = leaves(en).filter((key) => {
    const plain = key.replace(/_(zero|one|other)$/, '')
    return !all.includes(`'${plain}'`) && !patterns.some((pattern) => pattern.test(key))
  })
  expect(unused).toEqual([])
})

test('no screen holds words of its own', () => {
  const words = sources
    .filter(({ file }) => file.endsWith('.tsx'))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/^\s*([A-Z][a-z]+(?: [a-z]+)+[.?!]?)\s*$|(?<!=)>\s*([A-Z][a-z]{2,}[a-z .,!?]*)\s*</gm)].map(
        (match) => `${file}: ${match[1] ?? match[2]}`,
      ),
    )
  expect(words).toEqual([])
})

test('labels, titles and placeholders come from the catalogue', () => {
  const literal = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/\b(?:aria-label|label|title|placeholder|description)="([^"]*[A-Za-z]{2}[^"]*)"/g)].map(
      (match) => `${file}: ${match[1]}`,
    ),
  )
  expect(literal).toEqual([])
})

test('what has a word has one: distances are set, and people who cross a line go in and out', () => {
  const said = [JSON.stringify(en), JSON.stringify(fr)].map((words) => words.replace(/"[a-zA-Z_]+":/g, '')).join('\n')
  expect(said.match(/[^"]*(?:calibrat|étalonn|crossings? (?:up|down)|\((?:up|down)\))[^"]*/gi)).toBeNull()
})
