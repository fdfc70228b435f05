import { api } from './index.ts'
import type { Call, Op } from './op.ts'

/** The table of operations without its schemas: by feature and name, as calls.json keeps it for browsers. */
export const calls = (): Record<string, Record<string, Call>> =>
  Object.fromEntries(
    Object.entries(api).map(([feature, rows]) => [
      feature,
      Object.fromEntries(Object.entries(rows as Record<string, Op>).map(([name, row]) => [name, callOf(row)])),
    ]),
  )

const callOf = ({ method, path, status, kind, reads }: Op): Call => ({ method, path, status, kind, reads })
