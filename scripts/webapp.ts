import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { progress } from './prepare.mjs'

const inputs = ['packages/web', 'packages/contract', 'packages/domain', 'package-lock.json']
const left = new Set(['dist', 'node_modules'])
const stamp = 'packages/web/dist/.built-from'

/** Builds the web app when a file it is made from changed since the last build. Answers what went wrong, or null. */
export async function buildWebApp(root: string): Promise<string | null> {
  const wanted = fingerprint(root)
  const stampFile = join(root, stamp)
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return null
  const done = progress('Building the web app (only when it changed)')
  // Built aside and put in place whole: a portal that runs meanwhile, or a second build, never sees half of it.
  const draft = join(root, 'packages/web', `dist.${process.pid}`)
  const output = await run(root, draft)
  done()
  if (output === null) {
    replace(join(root, 'packages/web/dist'), draft)
  } else {
    rmSync(draft, { recursive: true, force: true })
    return output
  }
  // Taken again: the build itself writes the route tree into the sources.
  writeFileSync(stampFile, fingerprint(root))
  return null
}

/** Another start may put its own build there at the same moment: the last one stays. */
function replace(place: string, draft: string): void {
  for (let triesLeft = 10; ; triesLeft--) {
    try {
      rmSync(place, { recursive: true, force: true })
      renameSync(draft, place)
      return
    } catch (error) {
      const isTaken = ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')
      if (!isTaken || triesLeft === 0) throw error
    }
  }
}

function run(root: string, outDir: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--outDir', outDir], {
      cwd: join(root, 'packages/web'),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said = (said + chunk).slice(-4000)
      })
    child.on('error', (error) => resolve(error.message))
    child.on('exit', (code) => resolve(code === 0 ? null : said))
  })
}

function fingerprint(root: string): string {
  const hash = createHash('sha256')
  const visit = (path: string) => {
    const file = statSync(join(root, path))
    if (file.isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort())
        if (!left.has(name) && !name.startsWith('dist.')) visit(join(path, name))
    } else hash.update(`${path} ${file.size} ${file.mtimeMs}\n`)
  }
  inputs.forEach(visit)
  return hash.digest('hex')
}
