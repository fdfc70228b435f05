// `npm run nimble`: an edge server on a machine of its own. Installs when needed, as `npm start` does.
import { continueWith, prepare } from './prepare.mjs'

continueWith(await prepare(), 'packages/edge/src/main.ts', process.argv.slice(2))
