/** Writes docs/openapi.json from the table of operations. A test fails when the file and the table differ. */
import { writeFileSync } from 'node:fs'
import { openapi } from '@sightline/contract/openapi'

writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(openapi(), null, 1)}\n`)
