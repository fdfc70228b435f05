/** Two states of the same row, and what somebody typed over the older one. */

export const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What differs between `before` and `mine` laid over `theirs`, field by field; all else is theirs. */
export function rebase<V extends Record<string, unknown>>(before: V, mine: V, theirs: V): V {
  const field = (key: string) => {
    const [was, typed, is] = [before[key], mine[key], theirs[key]]
    if (isGroup(was) && isGroup(typed) && isGroup(is)) return rebase(was, typed, is)
    return isSame(was, typed) ? is : typed
  }
  return Object.fromEntries(Object.keys({ ...theirs, ...mine }).map((key) => [key, field(key)])) as V
}
