/** What a camera tells of now: nothing, where nobody knows how it is now. */
import { isViolation, metricsOf } from '@sightline/domain'
import { i18n } from '../../i18n/index.ts'
import type { Camera } from './customer-cameras.ts'
import type { Levels } from './levels.ts'
import { liveValue } from './live-figure.ts'

type Told = Pick<Camera, 'device_health' | 'channels'>

/** A camera that is offline, or of which nothing is heard, was in violation perhaps; whether it is nobody knows. */
const tellsOfNow = ({ device_health }: Told): boolean =>
  device_health === 'healthy' || device_health === 'needs attention'

/**
 * Whether something that must not happen goes on before a camera.
 * @param alarming ids of the channels that the portal says are in violation, also by their threshold
 */
export const isViolating = (camera: Told, levels: Levels, alarming: ReadonlySet<string>): boolean =>
  tellsOfNow(camera) &&
  camera.channels.some(({ channel_id }) => isViolation(levels[channel_id] ?? {}) || alarming.has(channel_id))

/** What the analytics of a camera count now, each by its name. */
export const figureOf = (camera: Told, levels: Levels): string =>
  (tellsOfNow(camera) ? camera.channels : [])
    .flatMap(({ channel_id, usecase_key }) => {
      const now = levels[channel_id]
      const told = metricsOf(usecase_key).filter((metric) => now?.[metric] !== undefined)
      // What a use case is named after speaks for it.
      const id = now && (told.find((metric) => metric === 'moving_average_count') ?? told[0])
      return id ? [`${i18n.t(`usecase.name.${usecase_key}`)} ${liveValue(id, now[id] ?? 0)}`] : []
    })
    .join(' · ')
