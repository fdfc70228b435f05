import * as z from 'zod'

/** What a list keeps in its address: text filter and order (`-name` is descending). */
export const tableSearch = { q: z.string().max(100).optional(), sort: z.string().max(40).optional() }
