/** Rules that the whole server's code keeps, read from the files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = import.meta.dirname
const files = readdirSync(root, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
  .map((path) => ({ path, lines: readFileSync(join(root, path), 'utf8').split('\n') }))

const linesThat = (breaks: (line: string, path: string) => boolean) =>
  files.flatMap(({ path, lines }) =>
    lines.filter((line) => breaks(line, path)).map((line) => `${path}: ${line.trim()}`),
  )

test('secrets are compared in constant time, never with ===', () => {
  const word = '(token|secret|hash|csrf|signature)'
  const absent = "(?!\\s*(undefined|null|''))"
  const compared = new RegExp(`${word}\\w*\\)?\\s*[!=]==${absent}|[!=]==\\s*[\\w.]*${word}\\b`, 'i')
  expect(linesThat((line) => compared.test(line))).toEqual([])
})

test('SQL text with something put into it stands in db/ and event/partitions.ts alone, which no request reaches', () => {
  const raw = /sql\.raw\((?!')|CompiledQuery\.raw\(|\.query\(`/
  expect(
    linesThat((line, path) => raw.test(line) && !path.startsWith('db/') && path !== 'event/partitions.ts'),
  ).toEqual([])
})
