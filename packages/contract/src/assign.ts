import * as z from 'zod'
import { id } from './field.ts'

/** What is to be assigned; at least one. */
export const assignedIds = z.array(id).min(1, 'required').max(1000, 'too_many')

/** `skipped` were assigned already. */
export const assigned = z.object({ assigned: z.int(), skipped: z.int() }).meta({ id: 'Assigned' })
/** `skipped` were not assigned. */
export const unassigned = z.object({ unassigned: z.int(), skipped: z.int() }).meta({ id: 'Unassigned' })
