import { counted, crossingsOf, type Usecase } from './usecase.ts'

/** People counting: how many are in the zones at once; lines add who crossed them, each way. */
export const pplcnt: Usecase<null> = {
  start: () => null,
  reduce: (state, facts) => ({
    state,
    levels: facts.watching ? { total: counted(facts).length } : null,
    instants: crossingsOf(facts),
    situations: [],
  }),
}
