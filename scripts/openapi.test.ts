import { readFileSync } from 'node:fs'
import { calls } from '@sightline/contract/calls'
import { openapi } from '@sightline/contract/openapi'
import { expect, test } from 'vitest'

test.each([
  ['docs/openapi.json', openapi()],
  ['packages/contract/src/calls.json', calls()],
])('%s is what the table of operations says now (npm run openapi writes it)', (path, said) => {
  const written = JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))
  expect(written).toEqual(JSON.parse(JSON.stringify(said)))
})
