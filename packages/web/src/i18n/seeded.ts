/** Names that the portal gave itself when it was installed, in the shown language until somebody changes them. */
import type { License, Nimble } from '@sightline/contract'
import { i18n } from './index.ts'

/** As `db/seed.ts` of the server writes them. */
const seeded = { edge: 'Local edge server', license: 'Community licence' }

export const edgeName = ({ name, is_local }: Pick<Nimble, 'name' | 'is_local'>): string =>
  is_local && name === seeded.edge ? i18n.t('nimble.seeded') : name

/** The name by which the portal knows an edge server that somebody wrote as the screen names it; as written otherwise. */
export function storedEdgeName(written: string, edges: readonly Pick<Nimble, 'name' | 'is_local'>[]): string {
  const wanted = written.trim().toLowerCase()
  return edges.find((edge) => edgeName(edge).toLowerCase() === wanted)?.name ?? written
}

export const licenseName = ({ license_name, is_builtin }: Pick<License, 'license_name' | 'is_builtin'>): string =>
  is_builtin && license_name === seeded.license ? i18n.t('license.seeded') : license_name
