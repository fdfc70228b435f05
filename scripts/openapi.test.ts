import { readFileSync } from 'node:fs'
import { openapi } from '@sightline/contract/openapi'
import { expect, test } from 'vitest'

test('docs/openapi.json is what the table of operations says now (npm run openapi writes it)', () => {
  const written = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'))
  expect(written).toEqual(JSON.parse(JSON.stringify(openapi())))
})
