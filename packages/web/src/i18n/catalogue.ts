import type { OpId } from '@sightline/contract'
import type { Pair } from '../api-text.ts'
import type { en } from './en/index.ts'

type Deep<T> = { readonly [K in keyof T]: T[K] extends string ? string : Deep<T[K]> }

/** What every language must hold: a missing word does not compile. */
export type Catalogue = Deep<typeof en>
/** What each operation says when it is done and when it fails. */
export type Pairs = Record<OpId, Pair>
