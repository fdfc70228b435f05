import type { Nimble } from '@sightline/contract'
import { formatSiteTime } from '../i18n/format.ts'
import type { Tone } from '../ui/tone.ts'

export type EdgeState = NonNullable<Nimble['status']>['state']

export const edgeState = (nimble: Nimble): EdgeState => nimble.status?.state ?? 'new'

export const edgeTone: Record<EdgeState, Tone> = {
  online: 'ok',
  connecting: 'warn',
  unreachable: 'bad',
  refused: 'bad',
  new: 'neutral',
}

/** Where it is dialled; ports 80 and 443 go without saying. Empty for one that dials the portal. */
export function placeOf({ address, port }: Pick<Nimble, 'address' | 'port'>): string {
  if (address === null || port === null) return ''
  return port === 80 || port === 443 ? address : `${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** Of no site: by the viewer's clock, or by UTC where that is chosen for all screens. */
export const formatEdgeTime = (at: string): string => formatSiteTime(at, undefined)
