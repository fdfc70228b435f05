/** The steps of the first run, in order; the address holds the current one. */
export const stepIds = [
  'account',
  'look',
  'license',
  'edge',
  'customer',
  'site',
  'cameras',
  'analytic',
  'event',
  'finish',
] as const
export type StepId = (typeof stepIds)[number]
