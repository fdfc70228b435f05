import type { UsecaseKey } from '@sightline/domain'
import type { AnalyticSettings } from '../settings.ts'
import { emptyframecheck } from './emptyframecheck.ts'
import { intrdtec } from './intrdtec.ts'
import { pplcnt } from './pplcnt.ts'
import { pplcntavg } from './pplcntavg.ts'
import { pplocc } from './pplocc.ts'
import { ppltrk } from './ppltrk.ts'
import type { Carried, Facts, Step, Usecase } from './usecase.ts'

/** What this engine runs; `usecaseGap` of the domain says why the others do not start. */
const table: Partial<Record<UsecaseKey, (settings: AnalyticSettings, carried: Carried | null) => Reducer>> = {
  pplcnt: (...about) => reducer(pplcnt, ...about),
  pplcntavg: (...about) => reducer(pplcntavg, ...about),
  pplocc: (...about) => reducer(pplocc, ...about),
  intrdtec: (...about) => reducer(intrdtec, ...about),
  ppltrk: (...about) => reducer(ppltrk, ...about),
  emptyframecheck: (...about) => reducer(emptyframecheck, ...about),
}

export type Reducer = (facts: Facts) => Step<unknown>

/** Holds a use case's state between pictures. */
function reducer<S>(usecase: Usecase<S>, settings: AnalyticSettings, carried: Carried | null): Reducer {
  let state = usecase.start(settings, carried)
  return (facts) => {
    const step = usecase.reduce(state, facts, settings)
    state = step.state
    return step
  }
}

export const startUsecase = (key: UsecaseKey, settings: AnalyticSettings, carried: Carried | null): Reducer | null =>
  table[key]?.(settings, carried) ?? null
