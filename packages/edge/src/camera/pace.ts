/**
 * How many pictures a second go to the analysis: what was asked for while the worker keeps up, else 3, else 2, before its
 * pictures are a second old. Pure: the caller brings the clock.
 */
export type Pace = {
  /** Pictures a second to send now. */
  fps(): number
  /** True while fewer are sent than asked for. */
  isReduced(): boolean
  /** The worker has finished a picture `lagMs` after it arrived here. */
  finished(lagMs: number, nowMs: number): void
  /** A picture was replaced by a newer one because the worker was busy. */
  dropped(nowMs: number): void
}

const lowerSteps = [3, 2]
const windowMs = 2000
/** Slow down well before the lag reaches a second. */
const tooLateMs = 600
/** One picture may be lost to a hiccup. */
const tooManyDrops = 2
/** Faster again after this long without trouble; doubled each time that turned out too early. */
const calmMs = 10_000
const longestCalmMs = 120_000

export function createPace(wantedFps: number, startMs: number): Pace {
  const steps = [wantedFps, ...lowerSteps.filter((each) => each < wantedFps)]
  let step = 0
  let window = { since: startMs, drops: 0, lagMs: 0 }
  let calmSince = startMs
  let raisedAt: number | null = null
  let patienceMs = calmMs

  const judge = (now: number) => {
    const isTroubled = window.lagMs > tooLateMs || window.drops >= tooManyDrops
    if (isTroubled) {
      calmSince = now
      if (step < steps.length - 1) {
        step += 1
        const wasTooEarly = raisedAt !== null && now - raisedAt < longestCalmMs
        patienceMs = wasTooEarly ? Math.min(patienceMs * 2, longestCalmMs) : calmMs
      }
    } else if (step > 0 && now - calmSince >= patienceMs) {
      step -= 1
      calmSince = now
      raisedAt = now
    }
    if (isTroubled || now - window.since >= windowMs) window = { since: now, drops: 0, lagMs: 0 }
  }
  return {
    fps: () => steps[step] as number,
    isReduced: () => step > 0,
    finished(lagMs, nowMs) {
      window.lagMs = Math.max(window.lagMs, lagMs)
      judge(nowMs)
    },
    dropped(nowMs) {
      window.drops += 1
      judge(nowMs)
    },
  }
}
