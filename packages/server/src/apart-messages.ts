/** What the portal and a process that runs somebody else's model say to each other. */

/** Above `memoryBytes` the process ends itself. */
export type ApartRequest<Request> = { request: Request; memoryBytes: number }
/** `broken`: trouble of our own. */
export type ApartAnswer<Result> = { result: Result } | { fault: string } | { broken: string }

/** Why a file cannot be used, as an id that both languages translate. */
export class Fault extends Error {}

/** The last words of a process that ends itself. */
export const outOfMemory = 'out of memory'
