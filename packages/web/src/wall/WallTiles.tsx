import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import type { Camera } from '../ui/cameras/customer-cameras.ts'
import type { Levels } from '../ui/cameras/levels.ts'
import { isViolating } from '../ui/cameras/now.ts'
import { useLiveTiles } from '../ui/cameras/useLiveTiles.ts'
import { type ColumnCount, columnCounts } from './columns.ts'
import { nextTile } from './tiles.ts'
import { useInSight } from './useInSight.ts'
import classes from './wall.module.css'

type Props = {
  /** Those that may have a tile now. */
  cameras: readonly Camera[]
  levels: Levels
  /** Ids of the channels whose newest record was a violation. */
  alarming: ReadonlySet<string>
  columns: ColumnCount
  onColumns: (next: ColumnCount) => void
  /** Nothing else is on the screen: the keys count wherever the focus is. */
  isAlone?: boolean
  /** The tiles, told which of them show a video. */
  children: (live: ReadonlySet<string>) => ReactNode
}

/** Tiles that show stills until something goes on before a camera; 1–4 set the columns, arrows go from tile to tile. */
export function WallTiles({ cameras, levels, alarming, columns, onColumns, isAlone, children }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const inSight = useInSight(frame, cameras.map(({ device_id }) => device_id).join())
  const seen = cameras.filter(({ device_id }) => inSight.has(device_id))
  const violating = seen.filter((camera) => isViolating(camera, levels, alarming)).map(({ device_id }) => device_id)
  const live = useLiveTiles(seen, violating)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const wanted = columnCounts.find((count) => count === event.key)
    if (wanted) return onColumns(wanted)
    const tiles = [...(frame.current?.querySelectorAll<HTMLElement>('[data-tile]') ?? [])]
    const next = nextTile(
      event.key,
      tiles.indexOf(document.activeElement as HTMLElement),
      tiles.length,
      Number(columns),
    )
    if (next === null) return
    event.preventDefault()
    tiles[next]?.focus()
  })
  useEffect(() => {
    const where: HTMLElement | null = isAlone ? document.body : frame.current
    const listener = (event: KeyboardEvent) => press(event)
    where?.addEventListener('keydown', listener)
    return () => where?.removeEventListener('keydown', listener)
  }, [isAlone])
  return (
    <div ref={frame} className={classes.tiles}>
      {children(live)}
    </div>
  )
}
