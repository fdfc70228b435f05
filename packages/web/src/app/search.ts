/** What screens keep in their address, checked by hand: a schema library is too much for what every screen loads first. */

/** Reads one value of an address. @throws when it does not fit */
type Field<T> = { read(value: unknown): T }
type Fields = Record<string, Field<unknown>>
type Value<F> = F extends Field<infer T> ? T : never
type Spread<T> = { [K in keyof T]: T[K] }
/** What may be absent need not be named. */
type Searched<F extends Fields> = Spread<
  { -readonly [K in keyof F as undefined extends Value<F[K]> ? never : K]: Value<F[K]> } & {
    -readonly [K in keyof F as undefined extends Value<F[K]> ? K : never]?: Value<F[K]>
  }
>

const field = <T extends string>(what: string, fits: (value: string) => boolean): Field<T> => ({
  read(value) {
    if (typeof value === 'string' && fits(value)) return value as T
    throw new Error(`The address needs ${what}.`)
  },
})

const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
export const uuid = field<string>('an id', (value) => uuidPattern.test(value))
/** At most so many characters. */
export const text = (most: number) => field<string>(`a text of at most ${most} characters`, (it) => it.length <= most)
export const oneOf = <const T extends string>(values: readonly T[]) =>
  field<T>(`one of ${values.join(', ')}`, (value) => (values as readonly string[]).includes(value))
/** A moment as RFC 3339 writes it, in UTC. */
export const moment = field<string>(
  'a time',
  (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/.test(value) && !Number.isNaN(Date.parse(value)),
)

/** May be absent; one that is there has to fit, as the screen would speak of something else without it. */
export const optional = <T>({ read }: Field<T>): Field<T | undefined> => ({
  read: (value) => (value === undefined ? undefined : read(value)),
})

/** A choice of how something is shown: one that does not fit is as good as none. */
export const choice = <T>({ read }: Field<T>): Field<T | undefined> => ({
  read(value) {
    try {
      return read(value)
    } catch {
      return undefined
    }
  },
})

/** For `validateSearch`: these values and no others. `parse` throws, naming what does not fit. */
export const search = <const F extends Fields>(fields: F) => ({
  parse(address: Record<string, unknown>): Searched<F> {
    const found = Object.entries(fields).map(([name, { read }]) => [name, read(address[name])])
    return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as Searched<F>
  },
})

/** What a list keeps: text filter and order (`-name` is descending). */
export const tableSearch = { q: optional(text(100)), sort: optional(text(40)) }
