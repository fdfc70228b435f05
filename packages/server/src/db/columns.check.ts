/** Compiles only while the `Database` interface says what the migrated schema is (`columns.ts`, read from it by a test). */
import type { Insertable, Selectable } from 'kysely'
import type { Columns } from './columns.ts'
import type { Database } from './schema.ts'

type Values = {
  number: number
  string: string
  boolean: boolean
  Date: Date
  Buffer: Buffer
  /** The schema does not say whether members may be null. */
  'number[]': (number | null)[]
  'Date[]': (Date | null)[]
  'string[]': string[]
  json: unknown
}
type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T]

type Fault<T extends keyof Database, C, Declared> = C extends keyof Selectable<Database[T]>
  ? Declared extends readonly [infer Type extends keyof Values, infer Null, infer Given]
    ? NonNullable<Selectable<Database[T]>[C]> extends Values[Type]
      ? (null extends Selectable<Database[T]>[C] ? 'null' : 'not null') extends Null
        ? [Null, Given] extends ['not null', 'required']
          ? C extends OptionalKeys<Insertable<Database[T]>>
            ? 'has no default, but may be left out'
            : never
          : C extends Exclude<keyof Insertable<Database[T]>, OptionalKeys<Insertable<Database[T]>>>
            ? 'has a default, but must be given'
            : never
        : 'null or not null'
      : 'type'
    : never
  : 'is not in the interface'

type Faults = {
  [T in keyof Columns]: T extends keyof Database
    ? {
        [C in keyof Columns[T]]: Fault<T, C, Columns[T][C]> extends never ? never : [T, C, Fault<T, C, Columns[T][C]>]
      }[keyof Columns[T]]
    : [T, 'is not in the interface']
}[keyof Columns]
type Surplus = {
  [T in keyof Database]: T extends keyof Columns
    ? Exclude<keyof Database[T], keyof Columns[T]> extends never
      ? never
      : [T, Exclude<keyof Database[T], keyof Columns[T]>, 'is not in the schema']
    : [T, 'is not in the schema']
}[keyof Database]

export const schemaMatches: [Faults | Surplus] extends [never] ? true : Faults | Surplus = true
