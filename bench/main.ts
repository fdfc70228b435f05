/**
 * `npm run bench`: the figures that the project is held to, each with what others reach, what no program can undercut,
 * and whether the answer was right. Exit code 1 when a gate is missed or an answer was wrong.
 *
 *   npm run bench -- --quick                   product and limits of what can be told in 90 s
 *   npm run bench -- --only delivery,live      some subjects; soak, half an hour with faults, runs only by name
 *   npm run bench -- --sabotage rollup-skip    must turn its gate red
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildWebApp } from '../scripts/webapp.ts'
import { cameras } from './cameras.ts'
import { delivery } from './delivery.ts'
import { devices } from './devices.ts'
import { discovery } from './discovery.ts'
import { live } from './live.ts'
import { type Figure, idleShare, load, table, type Verdict, verdict } from './measure.ts'
import { models } from './models.ts'
import { quiet } from './quiet.ts'
import { type Run, running, type Sabotage, type Subject, sabotages } from './run.ts'
import { screens } from './screens.ts'
import { soak } from './soak.ts'
import { subscribers } from './subscribers.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'bench/out')

const subjects: Record<string, Subject> = {
  delivery,
  subscribers,
  cameras,
  quiet,
  models,
  discovery,
  live,
  screens,
  devices,
  soak,
}
/** What `--quick` measures where no subject is named: the others take a minute or more each, however small. */
const quickly = ['delivery', 'models', 'discovery']
/** The subject whose gate a sabotage must turn red. */
const sabotaged: Record<Sabotage, string> = {
  'ack-before-commit': 'delivery',
  'rollup-skip': 'delivery',
  'skip-frames': 'cameras',
}

const { quick, only, sabotage } = readArguments()
if (process.platform !== 'linux') fail('The bench reads CPU times from /proc: it runs on Linux only.')
const fault = await buildWebApp(root)
if (fault) fail(`The web app could not be built:\n${fault}`)

const begun = performance.now()
const seconds = () => ((performance.now() - begun) / 1000).toFixed(0)
const say = (text: string) => console.log(`${seconds().padStart(4)} s  ${text}`)
const skipped: string[] = []
/** Subjects that did not come to an end, and why: their figures count as missed. */
const broken: string[] = []
const judged: { subject: string; figure: Figure; verdict: Verdict; isNoisy: boolean }[] = []

/** How long each subject took, with what it prepared. */
const took: string[] = []
for (const name of only) {
  const since = performance.now()
  const idle = await idleShare(500)
  say(`${name}: ${load()}, ${Math.round(idle * 100)} % of the machine idle before`)
  const skip = (what: string) => {
    skipped.push(what)
    say(`SKIPPED ${what}`)
  }
  const figures = await running({ quick, sabotage, say, skip }, (run: Run) => (subjects[name] as Subject)(run)).catch(
    (error: Error) => {
      broken.push(`${name}: ${error.message}`)
      say(`BROKEN ${name}: ${error.stack ?? error.message}`)
      return []
    },
  )
  took.push(`${name} ${((performance.now() - since) / 1000).toFixed(0)} s`)
  const isNoisy = idle < 0.5
  for (const figure of figures) judged.push({ subject: name, figure, verdict: verdict(figure, isNoisy), isNoisy })
}

report()

function report(): void {
  const noisy = new Set(judged.filter(({ isNoisy }) => isNoisy).map(({ figure }) => figure))
  const figures = judged.map(({ figure }) => figure)
  console.log(`\n${table(figures, (figure) => noisy.has(figure))}\n`)
  for (const { figure } of judged) if (figure.note) console.log(`${figure.metric}: ${figure.note}`)
  console.log(`Took: ${took.join(', ')}`)
  const others = Object.keys(subjects).filter((name) => !only.includes(name))
  if (others.length > 0) console.log(`Not measured: ${others.join(', ')}`)
  for (const what of skipped) console.log(`SKIPPED ${what}`)
  for (const what of broken) console.log(`BROKEN ${what}`)
  if (noisy.size > 0)
    console.log('NOISY: other programs used more than half of the machine; wall-clock gates are not decided.')
  const red = judged.filter(({ verdict }) => verdict === 'FAIL' || verdict === 'VOID')
  const machine = { cpus: availableParallelism(), model: cpus()[0]?.model.trim(), node: process.version, load: load() }
  mkdirSync(out, { recursive: true })
  const result = {
    at: new Date().toISOString(),
    commit: commit(),
    quick,
    sabotage,
    machine,
    skipped,
    broken,
    figures: judged,
  }
  writeFileSync(join(out, 'latest.json'), `${JSON.stringify(result, null, 2)}\n`)
  console.log(
    `${judged.length - red.length} of ${judged.length} figures stand, ${seconds()} s, ${load()}; bench/out/latest.json`,
  )
  if (sabotage && broken.length === 0) {
    console.log(red.length > 0 ? `The sabotage ${sabotage} was noticed.` : `The sabotage ${sabotage} went UNNOTICED.`)
    process.exit(red.length > 0 ? 0 : 1)
  }
  process.exit(red.length > 0 || broken.length > 0 ? 1 : 0)
}

function commit(): string | null {
  if (!existsSync(join(root, '.git'))) return null
  return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
}

function readArguments(): { quick: boolean; only: string[]; sabotage: Sabotage | null } {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, sabotage: { type: 'string' } },
  })
  const wanted = values.sabotage as Sabotage | undefined
  if (wanted !== undefined && !sabotages.includes(wanted))
    fail(`There is no sabotage "${wanted}". There are: ${sabotages.join(', ')}.`)
  const names =
    values.only?.split(',') ??
    (wanted ? [sabotaged[wanted]] : values.quick ? quickly : Object.keys(subjects).filter((name) => name !== 'soak'))
  const unknown = names.find((name) => !(name in subjects))
  if (unknown !== undefined) fail(`There is no subject "${unknown}". There are: ${Object.keys(subjects).join(', ')}.`)
  return { quick: values.quick, only: names, sabotage: wanted ?? null }
}

function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
