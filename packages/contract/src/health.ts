import { healths } from '@sightline/domain'
import * as z from 'zod'

/** Grade of anything watched; shown as success, warning and error colours, `unknown` as neutral. */
export const health = z.enum(healths)
export type Health = z.infer<typeof health>
