/** How figures are taken: CPU seconds of processes from /proc, medians over rounds, one table at the end. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

const ticksPerSecond = 100

/** Fields of /proc/PID/stat from the state on (the name in brackets before it may hold anything); null when it is gone. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/**
 * User and system CPU seconds of a process and of those of its children that have ended and were collected. Over a whole
 * tree the sum loses nothing when a process ends: its parent inherits what it used.
 */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid)
  if (!fields) return 0
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number]
  return (user + system + childUser + childSystem) / ticksPerSecond
}

/** A process and all its descendants. */
export function tree(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
    return [pid, ...children.flatMap(tree)]
  } catch {
    return []
  }
}

/** A process that ends between two looks is seen by neither: the greater of two sums has it. */
function treeSeconds(root: number): number {
  const sum = () => tree(root).reduce((total, pid) => total + cpuSeconds(pid), 0)
  return Math.max(sum(), sum())
}

/** Without those that are in the tree of another: they would count twice. */
function apart(roots: readonly number[]): number[] {
  const all = [...new Set(roots)]
  return all.filter((root) => !all.some((other) => other !== root && tree(other).includes(root)))
}

/**
 * CPU seconds that process trees use from now on. A root that appears later counts from zero, one that ends up to its
 * last look.
 */
export function cpuMeter(roots: () => readonly number[]): { stop(): number } {
  const first = new Map<number, number>()
  const last = new Map<number, number>()
  let isFirst = true
  const look = () => {
    for (const root of apart(roots())) {
      const now = treeSeconds(root)
      if (!first.has(root)) first.set(root, isFirst ? now : 0)
      last.set(root, Math.max(now, last.get(root) ?? 0))
    }
    isFirst = false
  }
  look()
  const timer = setInterval(look, 250)
  return {
    stop() {
      clearInterval(timer)
      look()
      let sum = 0
      for (const [root, now] of last) sum += now - (first.get(root) ?? 0)
      return sum
    },
  }
}

/** CPU seconds that this process uses for `work`. */
export async function ownCpuSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** Proportional set size of a process in bytes: shared pages counted by share. */
export function pssBytes(pid: number): number {
  const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  return Number(match?.[1] ?? Number.NaN) * 1024
}

/** What a process was started as, its arguments with spaces between; empty when it is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Share of the machine's CPU time that others leave idle, 0…1, over `ms`. */
export async function idleShare(ms: number): Promise<number> {
  const look = () =>
    cpus().reduce(
      (sum, { times }) => ({
        idle: sum.idle + times.idle,
        all: sum.all + times.idle + times.user + times.nice + times.sys + times.irq,
      }),
      { idle: 0, all: 0 },
    )
  const before = look()
  await wait(ms)
  const after = look()
  return (after.idle - before.idle) / Math.max(1, after.all - before.all)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number
}

/** Something else that does the same, or what no program can undercut: the same work, in the same run. */
export type Measured = { name: string; rounds: number[] }

export type Gate = {
  atMost?: number
  atLeast?: number
  /**
   * The name of a limit of the figure and its value where the gate was set. Machines differ, and this one from one day to
   * the next, so the gate moves by as much as the limit does.
   */
  where?: { limit: string; is: number }
}

export type Figure = {
  /** What was measured, with its workload. */
  metric: string
  unit: string
  /** Of each round. */
  product: number[]
  /** The best comparable things, and the physical limit. */
  peer?: Measured | Measured[] | null
  limit?: Measured | Measured[] | null
  /** What it is held to; null for what is only told. */
  gate: Gate | null
  /** Measured by the wall clock, which decides nothing on a busy machine; CPU time and sizes do. */
  isWallClock?: boolean
  /** Whether the answer was right; a figure of a wrong answer is void. */
  correct: { ok: boolean; what: string }
  /** Where the time goes, and what else helps to read it. */
  note?: string
}

export type Verdict = 'PASS' | 'FAIL' | 'VOID' | 'NOISY' | 'told'

export function verdict(figure: Figure, isNoisy = false): Verdict {
  if (!figure.correct.ok) return 'VOID'
  if (!figure.gate) return 'told'
  const value = median(figure.product)
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = gateHere(figure.gate, figure)
  if (value <= atMost && value >= atLeast) return 'PASS'
  return isNoisy && figure.isWallClock ? 'NOISY' : 'FAIL'
}

/** The gate as it stands on this machine in this run. */
function gateHere(gate: Gate, { metric, limit }: Figure): Gate {
  const { atMost, atLeast, where } = gate
  if (!where) return gate
  const measured = [limit ?? []].flat().find(({ name }) => name === where.limit)
  if (!measured) throw new Error(`"${metric}" has no limit "${where.limit}" for its gate to move with.`)
  const share = median(measured.rounds) / where.is
  return {
    ...(atMost !== undefined && { atMost: atMost * share }),
    ...(atLeast !== undefined && { atLeast: atLeast * share }),
  }
}

/** A gate in words, and where it stands on this machine. */
function gateText(figure: Figure): string {
  if (!figure.gate) return '–'
  const { where } = figure.gate
  const said = ({ atMost, atLeast }: Gate) =>
    [atLeast !== undefined && `≥ ${short(atLeast)}`, atMost !== undefined && `≤ ${short(atMost)}`]
      .filter(Boolean)
      .join(', ')
  if (!where) return said(figure.gate)
  return `${said(gateHere(figure.gate, figure))} (${said(figure.gate)} where ${where.limit} is ${short(where.is)})`
}

export const short = (value: number): string =>
  Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en')
    : value === 0
      ? '0'
      : value.toPrecision(3).replace(/\.0+$/, '')

/** @param isNoisy for each figure: whether other programs used the machine meanwhile */
export function table(figures: readonly Figure[], isNoisy: (figure: Figure) => boolean = () => false): string {
  const rows = figures.map((figure) => {
    const value = median(figure.product)
    const [least, most] = [Math.min(...figure.product), Math.max(...figure.product)]
    const range = least === most ? '' : ` [${short(least)}–${short(most)}]`
    const against = (others: Figure['peer']) =>
      [others ?? []]
        .flat()
        .map(({ name, rounds }) => `${name} ${short(median(rounds))} (ratio ${short(value / median(rounds))})`)
        .join('; ') || '–'
    return [
      figure.metric,
      `${short(value)} ${figure.unit}${range}`,
      against(figure.peer),
      against(figure.limit),
      gateText(figure),
      `${figure.correct.ok ? '' : 'NOT '}${figure.correct.what}`,
      verdict(figure, isNoisy(figure)),
    ]
  })
  const head = ['metric', 'product: median [range]', 'peer', 'limit', 'gate', 'correct when', 'verdict']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Load of the machine, to be printed beside figures; wall-clock gates mean little when it is high. */
export const load = (): string => `load average ${loadavg()[0]?.toFixed(2)}`
