import { randomBytes } from 'node:crypto'
import { uuidv7 } from '@sightline/domain'

/** A new public id. */
export const newUid = (): string => uuidv7(Date.now(), randomBytes(10))
