/** Rules that the whole server's code keeps, read from the files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = import.meta.dirname
const files = readdirSync(root, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

test('secrets are compared in constant time, never with ===', () => {
  const word = '(token|secret|hash|csrf|signature)'
  const absent = "(?!\\s*(undefined|null|''))"
  const compared = new RegExp(`${word}\\w*\\)?\\s*[!=]==${absent}|[!=]==\\s*[\\w.]*${word}\\b`, 'i')
  const found = files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line) => (compared.test(line) ? `${path}: ${line.trim()}` : [])),
  )
  expect(found).toEqual([])
})

test('SQL text is constant but in db/ and event/partitions.ts, which no request reaches', () => {
  const constant = /sql\.raw\(\s*('[^']*'|`[^`$]*`)\s*,?\s*\)/g
  const raw = /sql\.raw\(|CompiledQuery\.raw\(|\.query\(`/
  const found = files.filter(({ text }) => raw.test(text.replace(constant, ''))).map(({ path }) => path)
  expect(found.filter((path) => !path.startsWith('db/'))).toEqual(['event/partitions.ts'])
})
