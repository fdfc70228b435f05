// `npm start`: installs when needed, then runs everything on the pinned Node.
import { continueWith, prepare } from './prepare.mjs'

continueWith(await prepare(), 'scripts/supervise.ts', process.argv.slice(2))
