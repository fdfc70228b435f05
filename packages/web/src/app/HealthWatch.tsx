import type { StreamMessage } from '@sightline/contract'
import { useEffect, useRef } from 'react'
import { formatDuration } from '../i18n/format.ts'
import { i18n } from '../i18n/index.ts'
import { causeText } from '../i18n/words.ts'
import { useTopic } from '../live.ts'
import { api } from './client.ts'
import { notify } from './messages.ts'
import { type Told, toldOf } from './outage.ts'

/** What comes within this time is told together. */
const firstMs = 1500
/** After that nobody is told more often. */
const pauseMs = 30_000

/** Tells what the health rules of the sites say of cameras, a storm of them in one line. Draws nothing itself. */
export default function HealthWatch() {
  const collected = useRef<Extract<StreamMessage, { type: 'outage' }>[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const toldAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => () => clearTimeout(timer.current), [])
  useTopic('outage', (message) => {
    if (collected.current.push(message) > 1) return
    const wait = Math.max(firstMs, toldAt.current + pauseMs - performance.now())
    timer.current = setTimeout(() => {
      for (const told of toldOf(collected.current.splice(0))) {
        toldAt.current = performance.now()
        void tell(told)
      }
    }, wait)
  })
  return null
}

const texts = {
  offline: { one: 'shell.cameraOffline', several: 'shell.camerasOffline' },
  lasting: { one: 'shell.cameraStillOffline', several: 'shell.camerasStillOffline' },
  back: { one: 'shell.cameraBack', several: 'shell.camerasBack' },
} as const

async function tell({ step, cameras }: Told): Promise<void> {
  const [only] = cameras
  const type = step === 'back' ? 'success' : 'warning'
  if (!only || cameras.length > 1) return notify({ type, text: i18n.t(texts[step].several, { count: cameras.length }) })
  const camera = await api.device.get.call({ device_id: only.device_id })
  // One that was deleted meanwhile, or cannot be read now, needs no line.
  if (!camera.status) return
  const about = {
    name: camera.data.device_name,
    cause: only.cause ? causeText(only.cause) : '',
    time: formatDuration(only.seconds),
  }
  notify({ type, text: i18n.t(texts[step].one, about) })
}
