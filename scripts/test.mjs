// `npm test`: installs when needed, then runs every check on the pinned Node. `npm test -- unit e2e` runs some.
import { continueWith, prepare } from './prepare.mjs'

continueWith(await prepare(), 'scripts/check.ts', process.argv.slice(2))
