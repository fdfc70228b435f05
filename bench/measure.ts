/** How figures are taken: CPU seconds of processes from /proc, medians over rounds, one table at the end. Linux only. */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'

const ticksPerSecond = 100

/** User and system CPU seconds of a process, its ended children not included; null when it is gone. */
export function cpuSeconds(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  } catch {
    return null
  }
}

/** A process and all its descendants. */
export function tree(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
    return [pid, ...children.flatMap(tree)]
  } catch {
    return []
  }
}

/**
 * CPU seconds that process trees use from now on. A process that appears counts from zero, one that ends up to its last
 * sample: summing only what lives at both ends makes lazily opened connections look free.
 */
export function cpuMeter(roots: () => number[]): { stop(): number } {
  const first = new Map<number, number>()
  const last = new Map<number, number>()
  let isFirst = true
  const sample = () => {
    for (const pid of roots().flatMap(tree)) {
      const cpu = cpuSeconds(pid)
      if (cpu === null) continue
      if (!first.has(pid)) first.set(pid, isFirst ? cpu : 0)
      last.set(pid, cpu)
    }
    isFirst = false
  }
  sample()
  const timer = setInterval(sample, 250)
  return {
    stop() {
      clearInterval(timer)
      sample()
      let sum = 0
      for (const [pid, cpu] of last) sum += cpu - (first.get(pid) ?? 0)
      return sum
    },
  }
}

/** Proportional set size of a process in bytes: shared pages counted by share. */
export function pssBytes(pid: number): number {
  const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  return Number(match?.[1] ?? Number.NaN) * 1024
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

export type Figure = {
  /** What was measured, with its workload. */
  metric: string
  unit: string
  /** Of each round. */
  product: number[]
  /** The best comparable thing and the physical limit, measured in the same run; null when not measured in it. */
  peer?: { name: string; rounds: number[] } | null
  limit?: { name: string; rounds: number[] } | null
  /** What CI holds it to. */
  gate: { atMost?: number; atLeast?: number }
  /** Whether the answer was right; a figure of a wrong answer is void. */
  correct: { ok: boolean; what: string }
}

export type Verdict = 'PASS' | 'FAIL' | 'VOID'

export function verdict(figure: Figure): Verdict {
  if (!figure.correct.ok) return 'VOID'
  const value = median(figure.product)
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = figure.gate
  return value <= atMost && value >= atLeast ? 'PASS' : 'FAIL'
}

const short = (value: number) =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const value = median(figure.product)
    const range = `${short(Math.min(...figure.product))}–${short(Math.max(...figure.product))}`
    const against = (other: Figure['peer']) =>
      other ? `${short(median(other.rounds))} (${other.name}); ratio ${short(value / median(other.rounds))}` : '–'
    const gate =
      figure.gate.atMost !== undefined
        ? `≤ ${short(figure.gate.atMost)}`
        : `≥ ${short(figure.gate.atLeast ?? Number.NaN)}`
    return [
      figure.metric,
      `${short(value)} ${figure.unit} [${range}]`,
      against(figure.peer),
      against(figure.limit),
      gate,
      figure.correct.what,
      verdict(figure),
    ]
  })
  const head = ['metric', 'product: median [range]', 'peer', 'limit', 'gate', 'correct when', 'verdict']
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Load of the machine, to be printed beside figures; wall-clock gates mean little when it is high. */
export const load = (): string => `load average ${loadavg()[0]?.toFixed(2)}`
