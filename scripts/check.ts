/**
 * `npm test`'s second half, on the pinned Node: types, lint, unit and API tests, browser tests. The last line is
 * `N passed, N failed, N skipped`; every skipped test is named with what it needs, and
 * every unsteady one, which passed at its second attempt only, with what went wrong at the first.
 * Arguments pick steps: `npm test -- types lint unit e2e postgres`. The API suite on a PostgreSQL server of the system
 * (`postgres`) runs by name and in CI.
 */
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fail } from './prepare.mjs'
import { buildWebApp } from './webapp.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps = ['types', 'lint', 'unit', 'e2e', 'postgres'] as const
type Step = (typeof steps)[number]

const asked = process.argv.slice(2)
const unknown = asked.find((name) => !(steps as readonly string[]).includes(name))
if (unknown) fail(`There is no step "${unknown}". Steps: ${steps.join(', ')}.`)
const chosen = (asked.length > 0 ? asked : steps.filter((step) => step !== 'postgres' || process.env.CI)) as Step[]

/** What starts programs of its own, edge servers and the embedded database: another PostgreSQL changes nothing there. */
const withPrograms = [
  'packages/server/src/main.test.ts',
  'packages/server/src/channel/occupancy.test.ts',
  'packages/server/src/db/embedded.test.ts',
  'packages/server/src/device/onboarding.test.ts',
  'packages/server/src/event/crash.test.ts',
  'packages/server/src/{face,model}/edge.test.ts',
  'packages/server/src/nimble/{absence,enrol,hostile,links,pieces,return}.test.ts',
]

const total = { passed: 0, failed: 0, skipped: 0 }
const notes: string[] = []

for (const step of chosen) {
  console.log(`\n── ${step} ${'─'.repeat(60)}`)
  const begun = performance.now()
  if (step === 'types') count(step, await run(['scripts/typecheck.ts']))
  else if (step === 'lint')
    count(step, await run(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']))
  else if (step === 'unit') await suite('unit', 'vitest.config.ts')
  else if (step === 'postgres') await postgres()
  else await browser()
  notes.push(`${step} took ${Math.round((performance.now() - begun) / 1000)} s`)
}
if (!asked.length && !process.env.CI) skip('the API suite on a PostgreSQL server of the system (npm test -- postgres)')

for (const note of notes) console.log(note)
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exit(total.failed === 0 ? 0 : 1)

function count(what: string, ok: boolean): void {
  if (ok) total.passed++
  else {
    total.failed++
    notes.push(`failed: ${what}, see above`)
  }
}

function skip(what: string): void {
  total.skipped++
  notes.push(`skipped: ${what}`)
}

async function postgres(): Promise<void> {
  const bin = postgresServer()
  const paths = [...withDatabase(), ...withPrograms.flatMap((path) => ['--exclude', path])]
  if (bin) await suite('postgres', 'vitest.config.ts', { TEST_POSTGRES_BIN: bin }, paths)
  else skip('the API suite on a PostgreSQL server needs the package postgresql (apt-get install postgresql)')
}

/** Test files of the server that ask for a database. */
function withDatabase(): string[] {
  const tests = globSync('packages/server/src/**/*.test.ts', { cwd: root })
  return tests.filter((path) => /testing\/(app|database)\.ts/.test(readFileSync(join(root, path), 'utf8')))
}

/** The newest server that Debian's packages installed. */
function postgresServer(): string | null {
  const base = '/usr/lib/postgresql'
  if (!existsSync(base)) return null
  const newest = readdirSync(base).sort((a, b) => Number(b) - Number(a))[0]
  const bin = join(base, String(newest), 'bin')
  return existsSync(join(bin, 'postgres')) ? bin : null
}

async function browser(): Promise<void> {
  const chromium = await findChromium()
  const fault = chromium ? await buildWebApp(root) : 'no browser'
  if (!fault) count('the size of the web app', await run(['packages/web/budget.ts']))
  if (chromium && !fault) await suite('e2e', 'e2e/vitest.config.ts', { CHROMIUM: chromium })
  else {
    total.failed++
    notes.push(
      chromium
        ? `failed: the web app could not be built:\n${fault}`
        : 'failed: the browser tests need Chromium: apt-get install chromium, or set CHROMIUM to its path.',
    )
  }
}

/** First the shell that draws pages alone: each new page of a whole Chromium costs a second for windows nobody sees. */
async function findChromium(): Promise<string | null> {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  const places = [process.env.CHROMIUM, ...names.map((name) => `/usr/bin/${name}`)]
  const found = () => places.find((path) => path && existsSync(path)) ?? null
  if (!found() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium for the browser tests …')
    await command('apt-get', ['update', '-qq'])
    await command('apt-get', ['install', '-y', '-qq', 'chromium'])
  }
  return found()
}

/** Runs a vitest configuration and adds its counts; a run that ends without a report counts as one failure. */
async function suite(
  name: string,
  config: string,
  env: Record<string, string> = {},
  paths: string[] = [],
): Promise<void> {
  const report = join(root, '.cache', `${name}.json`)
  mkdirSync(join(root, '.cache'), { recursive: true })
  rmSync(report, { force: true })
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', config, '--reporter=default', '--reporter=json']
  const ok = await run([...args, `--outputFile.json=${report}`, ...paths], env)
  if (!existsSync(report)) return count(`${name}: it ended without a report`, false)
  const result = JSON.parse(readFileSync(report, 'utf8')) as Report
  total.passed += result.numPassedTests
  total.failed += result.numFailedTests
  // A file that fails outside its tests, or an error nobody awaited.
  if (!ok && result.numFailedTests === 0) {
    total.failed++
    notes.push(`failed: ${name}: outside its tests, see above`)
  }
  for (const file of result.testResults) {
    const path = relative(root, file.name)
    if (file.status === 'failed' && file.assertionResults.every(({ status }) => status !== 'failed'))
      notes.push(`failed: ${name}: ${path}\n${file.message}`)
    for (const test of file.assertionResults) {
      if (['skipped', 'pending', 'todo'].includes(test.status)) skip(`${name}: ${test.fullName}`)
      if (test.status === 'passed' && test.failureMessages?.length)
        notes.push(`unsteady: ${name}: ${path}: ${test.fullName}\n${test.failureMessages.join('\n')}`)
      // Told once more at the end: the place where a long output is read first.
      if (test.status === 'failed')
        notes.push(`failed: ${name}: ${path}: ${test.fullName}\n${test.failureMessages?.join('\n') ?? ''}`)
    }
  }
}

/** What is read here of vitest's JSON report. */
type Report = {
  numPassedTests: number
  numFailedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages?: string[] }[]
  }[]
}

function run(args: string[], env: Record<string, string> = {}): Promise<boolean> {
  return command(process.execPath, args, env)
}

function command(program: string, args: string[], env: Record<string, string> = {}): Promise<boolean> {
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  return new Promise((done) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PATH: path, ...env },
    })
    child.on('error', (error) => {
      console.error(error.message)
      done(false)
    })
    child.on('exit', (code) => done(code === 0))
  })
}
