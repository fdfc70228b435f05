import { useComputedColorScheme } from '@mantine/core'
import { Map as MapLibre, Marker, NavigationControl } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { localeOf, styleOf, variable } from './base.ts'
import classes from './map.module.css'
import type { MapProps } from './PinMap.tsx'
import { middle, zooms } from './view.ts'
import { loadWorld, type World } from './world.ts'

const rounded = (degrees: number) => Math.round(degrees * 1e5) / 1e5

/** One pin on the outlines of the world; with `onMove` it is set by a click and dragged. */
export default function MapCanvas({ pin, country, label, onMove, height }: MapProps) {
  const { i18n } = useTranslation()
  const scheme = useComputedColorScheme('light')
  const frame = useRef<HTMLDivElement>(null)
  const map = useRef<MapLibre | null>(null)
  const marker = useRef<Marker | null>(null)
  const [world, setWorld] = useState<World | null>(null)
  const [fault, setFault] = useState<Error | null>(null)
  const move = useRef(onMove)
  move.current = onMove

  useEffect(() => {
    loadWorld().then(setWorld, setFault)
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the pin is where the map begins; afterwards it moves on it
  useEffect(() => {
    if (!world || !frame.current) return
    const made = new MapLibre({
      container: frame.current,
      style: styleOf(world, i18n.language),
      locale: localeOf(),
      center: pin ? [pin.long, pin.lat] : middle,
      zoom: pin ? zooms.pin : zooms.world,
      minZoom: 0,
      maxZoom: zooms.nearest,
      attributionControl: false,
      dragRotate: false,
      touchPitch: false,
      // A page is scrolled past a map without being caught in it.
      cooperativeGestures: true,
      fadeDuration: 0,
    })
    made.addControl(new NavigationControl({ showCompass: false }), 'bottom-right')
    made.on('click', ({ lngLat }) => move.current?.(rounded(lngLat.lat), rounded(lngLat.wrap().lng)))
    made.on('error', ({ error }) => console.warn('The map:', error.message))
    map.current = made
    return () => {
      marker.current = null
      map.current = null
      made.remove()
    }
  }, [world, scheme, i18n.language])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a map that was made anew needs its pin anew
  useEffect(() => {
    const { current } = map
    if (!current) return
    if (!pin) {
      marker.current?.remove()
      marker.current = null
      return
    }
    if (!marker.current) {
      const made = new Marker({ color: variable('--mantine-color-brand-6'), draggable: move.current !== undefined })
      made.on('dragend', () => {
        const at = made.getLngLat().wrap()
        move.current?.(rounded(at.lat), rounded(at.lng))
      })
      marker.current = made.setLngLat([pin.long, pin.lat]).addTo(current)
    } else marker.current.setLngLat([pin.long, pin.lat])
    const isSeen = current.getBounds().contains([pin.long, pin.lat])
    if (!isSeen) current.jumpTo({ center: [pin.long, pin.lat], zoom: Math.max(current.getZoom(), zooms.pin) })
  }, [pin?.lat, pin?.long, world, scheme, i18n.language])

  // Without a pin the country that was chosen shows where to look for the place.
  const found = pin ? null : world?.countries.find(({ code }) => code === country)
  useEffect(() => {
    if (found) map.current?.jumpTo({ center: found.center, zoom: zooms.country })
  }, [found])

  if (fault) throw fault
  return <section ref={frame} className={classes.frame} style={{ height }} aria-label={label} />
}
