import { type Box, insidePolygon, type MetricId, type Point } from '@sightline/domain'
import type { Situation } from '../occasions.ts'
import type { AnalyticSettings } from '../settings.ts'
import { type Area, type Facts, type Part, partsOf, type Usecase } from './usecase.ts'

/** 0 none … 3 high. */
type SmokeLevel = 0 | 1 | 2 | 3
type Look = { at: number; burning: boolean; smoke: SmokeLevel }
type Watched = { looks: readonly Look[]; burning: boolean; smoke: SmokeLevel }
type State = ReadonlyMap<string, Watched>

/** Of the pictures of the hold time so many must agree before anything begins, rises, falls or ends. */
const agreeing = 0.75
/** What was not looked at for this long is not known any more. */
const blindMs = 5000
const smokeMetrics = [null, 'low_smoke', 'intermediate_smoke', 'high_smoke'] as const satisfies (MetricId | null)[]

/**
 * Fire and smoke, by area (each zone, or the whole picture): fire is there or not, smoke has a level by the share of the
 * picture that it takes. Flames by colour and flicker have been watched for two seconds when they are told, so they begin at once.
 */
export const frdtec: Usecase<State> = {
  start: () => new Map(),
  reduce(state, facts, settings) {
    const areas: readonly Area[] = facts.zones.length > 0 ? facts.zones : [{ name: '', points: [], dwellMs: null }]
    const seen = areas.map((area) => ({ area, fires: firesIn(area, facts), smokes: smokesIn(area, facts) }))
    const next: State = facts.watching
      ? new Map(seen.map((one) => [one.area.name, watch(state.get(one.area.name), one, facts, settings)]))
      : new Map()
    const at = (smoke: SmokeLevel) => [...next.values()].filter((one) => one.smoke === smoke).length
    const isLooking = [...next.values()].some((one) => one.looks.length > 0)
    return {
      state: next,
      levels: isLooking
        ? {
            fire: [...next.values()].filter((one) => one.burning).length,
            ...(facts.parts && { high_smoke: at(3), intermediate_smoke: at(2), low_smoke: at(1) }),
          }
        : null,
      instants: [],
      situations: seen.flatMap((one) => situationsOf(one, next.get(one.area.name))),
    }
  },
}

type Seen = { area: Area; fires: Part[]; smokes: Part[] }

function firesIn(area: Area, { parts, flames }: Facts): Part[] {
  return [...(parts ?? []), ...(flames ?? [])].filter(({ label, box }) => label === 'fire' && isIn(area, box))
}

const smokesIn = (area: Area, { parts }: Facts): Part[] =>
  (parts ?? []).filter(({ label, box }) => label === 'smoke' && isIn(area, box))

const isIn = ({ points }: Area, [x, y, w, h]: Box): boolean => {
  const middle: Point = [x + w / 2, y + h / 2]
  return points.length === 0 || insidePolygon(points, middle)
}

function watch(
  before: Watched | undefined,
  { fires, smokes }: Seen,
  facts: Facts,
  settings: AnalyticSettings,
): Watched {
  const { at, parts, flames } = facts
  if (!parts && !flames) {
    const last = before?.looks.at(-1)
    return last && before && at - last.at <= blindMs ? before : { looks: [], burning: false, smoke: 0 }
  }
  const share = smokes.reduce((sum, { box }) => sum + box[2] * box[3], 0)
  const look: Look = { at, burning: fires.length > 0, smoke: smokeLevel(share, settings) }
  const looks = [...(before?.looks ?? []).filter((one) => one.at > at - settings.holdMs - margin(before)), look]
  const isLongEnough = at - (looks[0] as Look).at >= settings.holdMs
  const told = { burning: before?.burning ?? false, smoke: before?.smoke ?? 0 }
  if (!told.burning && flames && look.burning && !parts) return { ...told, looks: [look], burning: true }
  if (!isLongEnough) return { ...told, looks }
  const most = (holds: (one: Look) => boolean) => looks.filter(holds).length >= looks.length * agreeing
  return {
    looks,
    burning: told.burning ? !most((one) => !one.burning) : most((one) => one.burning),
    smoke: settled(told.smoke, most),
  }
}

/** The look just before the hold time belongs to it: pictures do not come at round times. */
const margin = (before: Watched | undefined): number => {
  const looks = before?.looks ?? []
  const [last, one] = [looks.at(-1), looks.at(-2)]
  return last && one ? last.at - one.at : 0
}

/** The level rises to the highest that most pictures reach, and falls to the lowest that most do not exceed. */
function settled(told: SmokeLevel, most: (holds: (one: Look) => boolean) => boolean): SmokeLevel {
  const levels = [3, 2, 1, 0] as const
  const risen = levels.find((level) => most((one) => one.smoke >= level)) ?? 0
  if (risen > told) return risen
  return [...levels].reverse().find((level) => level <= told && most((one) => one.smoke <= level)) ?? told
}

function smokeLevel(share: number, { smokeShares: [low, intermediate, high] }: AnalyticSettings): SmokeLevel {
  return share >= high ? 3 : share >= intermediate ? 2 : share >= low ? 1 : 0
}

function situationsOf({ area, fires, smokes }: Seen, watched: Watched | undefined): Situation[] {
  const made = (metric: MetricId, parts: readonly Part[], severity: number): Situation => ({
    key: `${metric}/${area.name}`,
    metric,
    trackId: null,
    place: `${severity > 0 ? 'smoke' : 'fire'}/${area.name}`,
    appeared: false,
    severity,
    values: { [metric]: 1 },
    details: { zone: area.name || null, ...partsOf(parts) },
  })
  const smoke = smokeMetrics[watched?.smoke ?? 0]
  return [
    ...(watched?.burning ? [made('fire', fires, 0)] : []),
    ...(watched && smoke ? [made(smoke, smokes, watched.smoke)] : []),
  ]
}
