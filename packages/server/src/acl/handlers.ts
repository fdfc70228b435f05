import { screensFor } from '@sightline/domain'
import type { Handlers } from '../mount.ts'

export const acl: Handlers<'acl'> = {
  list: (_, { principal }) => screensFor(principal?.role ?? null),
}
