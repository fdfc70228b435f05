import type { UsecaseKey } from '@sightline/domain'
import type { AnalyticSettings } from '../settings.ts'
import { coldtec } from './coldtec.ts'
import { emptyframecheck } from './emptyframecheck.ts'
import { fcmsk } from './fcmsk.ts'
import { fcrecog } from './fcrecog.ts'
import { frdtec } from './frdtec.ts'
import { intrdtec } from './intrdtec.ts'
import { loiterdtec } from './loiterdtec.ts'
import { phydist } from './phydist.ts'
import { ppedtec } from './ppedtec.ts'
import { pplcnt } from './pplcnt.ts'
import { pplcntavg } from './pplcntavg.ts'
import { pplocc } from './pplocc.ts'
import { ppltrk } from './ppltrk.ts'
import type { Carried, Facts, Step, Usecase } from './usecase.ts'

const table: Record<UsecaseKey, (settings: AnalyticSettings, carried: Carried | null) => Reducer> = {
  pplcnt: (...about) => reducer(pplcnt, ...about),
  pplcntavg: (...about) => reducer(pplcntavg, ...about),
  pplocc: (...about) => reducer(pplocc, ...about),
  phydist: (...about) => reducer(phydist, ...about),
  ppedtec: (...about) => reducer(ppedtec, ...about),
  fcmsk: (...about) => reducer(fcmsk, ...about),
  intrdtec: (...about) => reducer(intrdtec, ...about),
  loiterdtec: (...about) => reducer(loiterdtec, ...about),
  frdtec: (...about) => reducer(frdtec, ...about),
  coldtec: (...about) => reducer(coldtec, ...about),
  fcrecog: (...about) => reducer(fcrecog, ...about),
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

export const startUsecase = (key: UsecaseKey, settings: AnalyticSettings, carried: Carried | null): Reducer =>
  table[key](settings, carried)
