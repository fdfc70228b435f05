import { counted, type Usecase } from './usecase.ts'

/** Tracking: how many are followed in the zones at once; the overlay shows who is who. */
export const ppltrk: Usecase<null> = {
  start: () => null,
  reduce: (state, facts) => ({
    state,
    levels: facts.watching ? { total: counted(facts).length } : null,
    instants: [],
    situations: [],
  }),
}
