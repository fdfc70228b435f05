import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { importFaults } from './check-imports.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('every package imports only what it declares and what the architecture allows', () => {
  expect(importFaults(root)).toEqual([])
})

test('an import in a forbidden direction, of Node in the browser, or of an undeclared package is found', () => {
  const copy = mkdtempSync(join(tmpdir(), 'imports-'))
  try {
    for (const path of ['package.json', 'packages'])
      cpSync(join(root, path), join(copy, path), {
        recursive: true,
        filter: (source) => !/node_modules|dist|scenes/.test(source),
      })
    writeFileSync(
      join(copy, 'packages/domain/src/bad.ts'),
      "import 'node:fs'\nimport '@sightline/contract'\nimport 'zod'\n",
    )
    const faults = importFaults(copy).filter((fault) => fault.includes('bad.ts'))
    expect(faults).toHaveLength(3)
  } finally {
    rmSync(copy, { recursive: true })
  }
})
