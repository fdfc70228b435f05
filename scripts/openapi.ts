/** Writes what is made from the table of operations: a test fails when one of these files and the table differ. */
import { writeFileSync } from 'node:fs'
import { calls } from '@sightline/contract/calls'
import { openapi } from '@sightline/contract/openapi'

const write = (path: string, content: unknown) =>
  writeFileSync(new URL(`../${path}`, import.meta.url), `${JSON.stringify(content, null, 1)}\n`)

write('docs/openapi.json', openapi())
write('packages/contract/src/calls.json', calls())
