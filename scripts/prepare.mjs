// What `npm start` and `npm test` do before anything else, on whichever Node started npm:
// install the packages when the lock file changed, then answer the path of the pinned Node.
// Plain JavaScript without dependencies, because nothing is installed yet.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stamp = join(modules, '.sightline-installed')
const lock = join(root, '.cache', 'install.lock')

/** One clear sentence, exit code 1. */
export function fail(sentence) {
  console.error(`\n${sentence}`)
  process.exit(1)
}

/** Installs when needed; answers the Node to go on with. */
export async function prepare() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex')
  if (!isInstalled(wanted)) {
    await takeLock()
    try {
      if (!isInstalled(wanted)) {
        await install()
        writeFileSync(stamp, wanted)
      }
    } finally {
      rmSync(lock, { recursive: true, force: true })
    }
  }
  return pinnedNode()
}

const isInstalled = (wanted) => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted

/** Two starts at once: the second waits for the first. A lock whose process is gone is taken over. */
async function takeLock() {
  mkdirSync(dirname(lock), { recursive: true })
  for (let said = false; ; ) {
    try {
      mkdirSync(lock)
      writeFileSync(join(lock, 'pid'), String(process.pid))
      return
    } catch (error) {
      if (error.code !== 'EEXIST')
        fail(`Cannot write to ${root} (${error.message}). Run from a folder you may write to.`)
    }
    if (!ownerLives()) rmSync(lock, { recursive: true, force: true })
    else {
      if (!said) console.log('Another start is installing packages; waiting for it.')
      said = true
      await new Promise((done) => setTimeout(done, 500))
    }
  }
}

function ownerLives() {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0)
    return true
  } catch (error) {
    // Between the owner's mkdir and its pid there is an instant without a pid: that owner lives.
    return error.code === 'ENOENT' ? existsSync(lock) : error.code === 'EPERM'
  }
}

function install() {
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  const text = 'Installing packages (only when they changed; a minute or two)'
  const done = progress(text)
  return new Promise((resolve) => {
    const child = spawn(command, [...args, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: !npm && process.platform === 'win32',
    })
    let said = ''
    const keep = (chunk) => {
      said = (said + chunk).slice(-4000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => fail(`npm could not be started (${error.message}). Install npm, then try again.`))
    child.on('exit', (code) => {
      done()
      if (code === 0) return resolve()
      fail(
        `The packages could not be installed. npm said:\n${said.trim()}\nCheck the network and the free disk space (about 1.5 GB), then run the same command again.`,
      )
    })
  })
}

/** Shows that work goes on: one updating line on a terminal, one plain line elsewhere. Answers what ends it. */
export function progress(text) {
  const started = Date.now()
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`
  if (!process.stdout.isTTY) {
    console.log(`${text} …`)
    return () => console.log(`${text}: done in ${seconds()}`)
  }
  const draw = () => process.stdout.write(`\r${text} … ${seconds()} `)
  draw()
  const timer = setInterval(draw, 500)
  return () => {
    clearInterval(timer)
    process.stdout.write(`\r${text}: done in ${seconds()}   \n`)
  }
}

function pinnedNode() {
  const bin = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  if (existsSync(bin)) return bin
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return fail(
    `Sightline needs Node 24 or newer on ${process.platform} ${process.arch}; this is ${process.version}. Install it from nodejs.org, then run the same command again.`,
  )
}

/** Runs a script on that Node with our terminal, passes signals on, ends with its exit code. */
export function continueWith(node, script, args = []) {
  const child = spawn(node, [join(root, script), ...args], { stdio: 'inherit', cwd: root })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) =>
    fail(`Could not start ${node} (${error.message}). Delete node_modules and run the same command again.`),
  )
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
