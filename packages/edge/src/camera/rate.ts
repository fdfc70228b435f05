/** Pictures a second over the last seconds. Pure: the caller brings the clock. */
export type Rate = {
  count(nowMs: number): void
  /** Null while too little was seen. */
  perSecond(nowMs: number): number | null
}

const windowMs = 5000
const leastCount = 5

export function createRate(): Rate {
  let times: number[] = []
  const forget = (now: number) => {
    times = times.filter((time) => now - time <= windowMs)
  }
  return {
    count(now) {
      times.push(now)
      if (times.length > 2 * leastCount && now - (times[0] as number) > 2 * windowMs) forget(now)
    },
    perSecond(now) {
      forget(now)
      const [first] = times
      const last = times.at(-1)
      if (first === undefined || last === undefined || times.length < leastCount || last === first) return null
      return Math.round(((times.length - 1) * 10_000) / (last - first)) / 10
    },
  }
}
