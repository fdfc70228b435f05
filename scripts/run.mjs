// Runs a file on the pinned Node, whichever Node started npm: `node scripts/run.mjs <file> [arguments]`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const pinned = `${root}node_modules/.bin/node${process.platform === 'win32' ? '.cmd' : ''}`
const { status, error } = spawnSync(pinned, process.argv.slice(2), { stdio: 'inherit', cwd: root })
if (error) console.error(`Node 24 is not installed here (${error.message}). Run: npm ci`)
process.exit(status ?? 1)
