import { IconDeviceCctv, IconPlugConnectedX } from '@tabler/icons-react'
import { Children, type CSSProperties, isValidElement, type ReactNode, type Ref, useLayoutEffect, useRef } from 'react'
import type { Path } from '../screens.ts'
import classes from './CameraTile.module.css'
import { Go, type Search } from './Go.tsx'
import { StatusDot } from './Health.tsx'
import type { Tone } from './tone.ts'

type Props = {
  ref?: Ref<HTMLAnchorElement>
  to: Path
  search: Search
  name: string
  /** Site and use cases. */
  detail: string
  /** Address of the newest still; null when there is none. */
  still: string | null
  tone: Tone
  /** Word for the state: "Live", "Offline since 14:05". */
  status: string
  /** Drawn in red with a ring: the camera is in violation now. */
  isViolating?: boolean
  /** At the lower right: a count. */
  figure?: ReactNode
  /** The live picture, in place of the still. */
  live?: ReactNode
  children?: ReactNode
}

/** One camera as a picture: a still, or what is live now. What is offline is hatched. */
export function CameraTile(props: Props) {
  const { ref, to, search, name, detail, still, tone, status, isViolating, figure, live, children } = props
  // Offline is one thing, no still taken yet another.
  const Icon = tone === 'bad' ? IconPlugConnectedX : IconDeviceCctv
  return (
    <Go
      ref={ref}
      to={to}
      search={search}
      className={classes.root}
      data-tile={search.did}
      data-violating={isViolating || undefined}
      data-off={tone === 'bad' || undefined}
      data-live={live ? true : undefined}
    >
      {live ? (
        <span className={classes.live}>{live}</span>
      ) : still ? (
        <img className={classes.still} src={still} alt="" loading="lazy" width="640" height="360" />
      ) : (
        <span className={classes.blank}>
          <Icon size={26} stroke={1.5} aria-hidden="true" />
        </span>
      )}
      {children}
      <span className={classes.chip} data-violating={isViolating || undefined}>
        {!isViolating && <StatusDot tone={tone} />}
        {status}
      </span>
      <span className={classes.caption}>
        <span className={classes.words}>
          <span className={classes.name}>{name}</span>
          <span className={classes.detail}>{detail}</span>
        </span>
        {figure !== undefined && <span className={`${classes.figure} num`}>{figure}</span>}
      </span>
    </Go>
  )
}

/** Tiles in a grid; on a phone a row to swipe through. */
export function CameraGrid(props: { label: string; columns?: number; children: ReactNode }) {
  const { label, columns, children } = props
  const style = columns ? ({ '--columns': columns } as CSSProperties) : undefined
  const row = useRef<HTMLElement>(null)
  const isSwiped = useRef(false)
  const [first] = Children.toArray(children)
  const firstKey = isValidElement(first) ? first.key : null
  // The browser keeps the tile in sight that was there before another came in front of it: whoever is in violation would
  // be out of sight of somebody who has not swiped yet.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another tile is the first
  useLayoutEffect(() => {
    if (!isSwiped.current) row.current?.scrollTo({ left: 0 })
  }, [firstKey])
  const swiped = () => {
    isSwiped.current = true
  }
  return (
    <section
      ref={row}
      className={classes.grid}
      style={style}
      data-fixed={columns !== undefined || undefined}
      aria-label={label}
      onTouchMove={swiped}
      onWheel={swiped}
    >
      {children}
    </section>
  )
}
