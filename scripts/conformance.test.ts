import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
type Row = { id: string; file: string; name: string }
const rows = readFileSync(join(root, 'docs/conformance.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, id, file, name] = /^\| ([A-Z][\w-]*\d+) \| (\S+) \| (.+) \|$/.exec(line) ?? []
    return id && file && name ? [{ id, file, name } satisfies Row] : []
  })

test('every promise that counts as kept names a test that exists', () => {
  const missing = rows.filter(({ file, name }) => {
    const path = join(root, file)
    return !existsSync(path) || !readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(name)
  })
  expect(rows.length).toBeGreaterThan(20)
  expect(missing).toEqual([])
})
