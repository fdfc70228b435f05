import type { Health } from '@sightline/contract'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'neutral'

/** Healthy is success, needs attention warning, all else error. */
export const toneOf: Record<Health, Tone> = {
  healthy: 'ok',
  'needs attention': 'warn',
  offline: 'bad',
  unknown: 'bad',
}
