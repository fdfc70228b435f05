/** Loaded before everything else, gives a process a wrong clock: `TEST_SKEW_MS` milliseconds ahead. */
const skewMs = Number(process.env.TEST_SKEW_MS ?? 0)
const RealDate = Date
const real = RealDate.now.bind(RealDate)

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [string | number]) {
    super(given[0] ?? real() + skewMs)
  }
  static override now(): number {
    return real() + skewMs
  }
} as DateConstructor
