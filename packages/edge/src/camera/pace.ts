/**
 * How many pictures a second go to the analysis: what was asked for while the worker keeps up, else 3, else 2, before its
 * pictures are a second old. Pure: the caller brings the clock.
 */
export type Pace = {
  /** Pictures a second to send now. */
  fps(): number
  /** True while fewer are sent than asked for. */
  isReduced(): boolean
  /** The worker has finished a picture that was taken `lagMs` before. */
  finished(lagMs: number, nowMs: number): void
  /** A picture was replaced by a newer one because the worker was busy. */
  dropped(nowMs: number): void
}

const lowerSteps = [3, 2]
/** A worker that has just begun may still be loading. */
const settleMs = 3000
/** Late well before the lag reaches a second. */
const lateMs = 600
/** Late or dropped pictures in two seconds; a single one may be lost to a hiccup. */
const tooManyTroubles = 2
const windowMs = 2000
/** Faster again after this long without trouble; doubled each time that turned out too early. */
const calmMs = 10_000
const longestCalmMs = 120_000

export function createPace(wantedFps: number, startMs: number): Pace {
  const steps = [wantedFps, ...lowerSteps.filter((each) => each < wantedFps)]
  let step = 0
  let troubles: number[] = []
  let calmSince = startMs
  let raisedAt: number | null = null
  let patienceMs = calmMs

  const slowDown = (now: number) => {
    troubles = []
    if (step === steps.length - 1) return
    step += 1
    const wasTooEarly = raisedAt !== null && now - raisedAt < longestCalmMs
    patienceMs = wasTooEarly ? Math.min(patienceMs * 2, longestCalmMs) : calmMs
  }
  const trouble = (now: number) => {
    calmSince = now
    if (now - startMs < settleMs) return
    troubles = [...troubles.filter((at) => now - at < windowMs), now]
    if (troubles.length >= tooManyTroubles) slowDown(now)
  }
  const calm = (now: number) => {
    if (step === 0 || now - calmSince < patienceMs) return
    step -= 1
    calmSince = now
    raisedAt = now
  }
  return {
    fps: () => steps[step] as number,
    isReduced: () => step > 0,
    finished: (lagMs, nowMs) => (lagMs > lateMs ? trouble(nowMs) : calm(nowMs)),
    dropped: trouble,
  }
}
