import { useMediaQuery } from '@mantine/hooks'
import type { Device } from '@sightline/contract'
import { type PipelineElements, type Point, type UsecaseKey, usecases } from '@sightline/domain'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { colorOf, maskColor } from './colors.ts'
import {
  addPoint,
  away,
  clamp,
  type Drawing,
  faultOf,
  fewestPoints,
  finish,
  insertPoint,
  inside,
  isAgain,
  middles,
  moveBy,
  movePoint,
  newDrawing,
  removePoint,
  replace,
  type ShapeKind,
  shapeAt,
  snap,
  stillWrong,
  turned,
  wholePicture,
} from './editing.ts'
import { Handles, Name, Outline } from './Shapes.tsx'
import { useMasks } from './useMasks.ts'
import { drawingOf, type Zones } from './useZones.ts'
import { ZonePanel } from './ZonePanel.tsx'
import { type Tool, toolOf, ZoneToolbar } from './ZoneToolbar.tsx'
import classes from './zones.module.css'

const drawn: Record<Exclude<Tool, 'select'>, ShapeKind> = {
  polygon: 'zone',
  rectangle: 'zone',
  line: 'line',
  mask: 'mask',
  floor: 'floor',
}

type Props = {
  zones: Zones
  /** Still or live picture, filling the stage. */
  picture: ReactNode
  aspectRatio: number
  /** What it needs is shown while it is missing. */
  usecase: UsecaseKey
  /** What the analytic is set to, as far as that is known: zones follow it in what they do not say themselves. */
  elements: PipelineElements | undefined
  error?: string | null
  /** Whose picture it is. */
  camera: Device
  /** The analytic that the shapes are of; none yet for a new one. */
  channelId?: string
  /** Above the list of shapes. */
  children?: ReactNode
}

/** Where the crosshair is before it is moved. */
const middle: Point = [0.5, 0.5]

type Drag =
  | { kind: 'point'; key: string; index: number }
  | { kind: 'shape'; key: string; from: Point }
  | { kind: 'rectangle'; key: string; from: Point }

/**
 * Zones, lines and masks drawn on a picture, by pointer, touch or keyboard. On the stage: arrows move the crosshair
 * (Shift: five times as far), Space sets a point, Enter closes, Escape gives up; with the rectangle both Space and Enter set
 * one corner, then the opposite one. On a point: arrows move it, Insert adds one after it, Delete removes it. Points snap to
 * what is near; Alt holds that off, Shift keeps to steps of 45°.
 */
export function ZoneEditor(props: Props) {
  const { zones, picture, aspectRatio, usecase, elements, error, camera, channelId, children } = props
  const measures = usecases[usecase].needsCalibration
  const { t } = useTranslation()
  const stage = useRef<HTMLDivElement>(null)
  const [tool, setTool] = useState<Tool>('select')
  const [cursor, setCursor] = useState<Point | null>(null)
  /** The second corner that spanned nothing, for as long as the crosshair stays there. */
  const [refused, setRefused] = useState<Point | null>(null)
  const drag = useRef<Drag | null>(null)
  const { drawings, active } = zones
  const { masks, ...ofMasks } = useMasks(camera)
  const others = masks.filter((mask) => mask.channel_id === null || mask.channel_id !== channelId)
  const shownOthers = others.filter(({ is_active }) => is_active).map(drawingOf)
  const isCoarse = useMediaQuery('(pointer: coarse)')

  const at = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const box = (stage.current as HTMLDivElement).getBoundingClientRect()
    return [(clientX - box.left) / box.width, (clientY - box.top) / box.height]
  }
  const start = (kind: ShapeKind, points: Point[] = [], open = points.length === 0): Drawing => {
    const drawing = { ...newDrawing(drawings, kind, crypto.randomUUID(), points), open }
    // An outline that was begun and left is not kept beside the next.
    const kept = drawings.filter((it) => !it.open && !(kind === 'floor' && it.kind === kind))
    // The floor lies under everything, and there is one.
    zones.set(kind === 'floor' ? [drawing, ...kept] : [...kept, drawing], drawing.key)
    return drawing
  }
  const dropOpen = () => {
    // Nothing is no step: it would end what can be done again.
    if (drawings.some(({ open }) => open)) zones.set(drawings.filter(({ open }) => !open))
  }
  const choose = (next: Tool) => {
    setTool(next)
    // Whoever draws by keys sees from where; a pointer takes the crosshair along.
    if (next !== 'select') setCursor((now) => now ?? middle)
    if (next !== 'select' && next !== 'rectangle') start(drawn[next])
    else dropOpen()
    stage.current?.focus()
  }
  const close = () => {
    if (!active?.open) return
    const closed = finish(active)
    zones.set(replace(drawings, active.key, () => closed))
    if (!closed.open) setTool('select')
  }
  const giveUp = () => {
    dropOpen()
    setTool('select')
  }
  /** @param near points so near to each other are one: more where a hand is less steady than keys */
  const put = (point: Point, near = 1e-4) => {
    if (!active?.open || isAgain(active, point, aspectRatio, near)) return
    const [first] = active.points
    const reach = isCoarse ? 0.04 : 0.02
    const closes = first && away(first, point, aspectRatio) < reach
    if (closes && active.points.length >= fewestPoints(active.kind)) {
      close()
      return
    }
    const longer = addPoint(active, point)
    const isDone = ['line', 'floor'].includes(active.kind) && longer.points.length === fewestPoints(active.kind)
    zones.set(replace(drawings, active.key, () => (isDone ? finish(longer) : longer)))
    if (isDone) setTool('select')
  }
  /** Where a point goes that is dragged or set here: onto what is near, or in steps of 45° from the one before it. */
  const placed = (
    drawing: Drawing,
    index: number | null,
    point: Point,
    keys: { altKey: boolean; shiftKey: boolean },
  ) => {
    const before = drawing.points.at((index ?? drawing.points.length) - 1)
    if (keys.shiftKey && before && drawing.points.length > 0) return clamp(turned(before, point, aspectRatio))
    return clamp(keys.altKey ? point : snap(drawings, drawing, index, point, aspectRatio))
  }
  /** Where a press of the pointer sets a point, and so where the crosshair shows it before. */
  const aim = (point: Point, keys: { altKey: boolean; shiftKey: boolean }) =>
    active?.open && tool !== 'rectangle' ? placed(active, null, point, keys) : clamp(point)
  const rectangle = (a: Point, b: Point): Point[] => {
    const [x1, x2] = [Math.min(a[0], b[0]), Math.max(a[0], b[0])]
    const [y1, y2] = [Math.min(a[1], b[1]), Math.max(a[1], b[1])]
    return [clamp([x1, y1]), clamp([x2, y1]), clamp([x2, y2]), clamp([x1, y2])]
  }

  /** With the rectangle: one corner, then the opposite one. Two that span nothing end nothing, which is said. */
  const putCorner = (point: Point) => {
    setCursor(point)
    setRefused(null)
    if (!active?.open) {
      start('zone', [point], true)
      return
    }
    const made = { ...active, points: rectangle(active.points[0] as Point, point), open: false }
    if (faultOf(made)) {
      setRefused(point)
      return
    }
    // Both corners are one step.
    zones.amend(replace(drawings, active.key, () => made))
    setTool('select')
  }

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return
    const point = at(event)
    if (tool === 'rectangle' && active?.open) {
      putCorner(aim(point, event))
      return
    }
    if (tool === 'rectangle') {
      const { key } = start('zone', rectangle(point, point))
      drag.current = { kind: 'rectangle', key, from: point }
    } else if (tool === 'select') {
      const hit = shapeAt(drawings, point)
      if (!hit) return
      zones.select(hit.key)
      zones.step()
      drag.current = { kind: 'shape', key: hit.key, from: point }
    } else {
      put(aim(point, event), isCoarse ? 0.02 : 0.01)
      return
    }
    event.currentTarget.setPointerCapture(event.pointerId)
  }
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    const point = at(event)
    const moving = drag.current
    if (active?.open || tool === 'rectangle') setCursor(aim(point, event))
    if (!moving) return
    if (moving.kind === 'point')
      zones.amend(
        replace(drawings, moving.key, (it) => movePoint(it, moving.index, placed(it, moving.index, point, event))),
      )
    else if (moving.kind === 'rectangle')
      zones.amend(replace(drawings, moving.key, (it) => ({ ...it, points: rectangle(moving.from, point) })))
    else {
      const [dx, dy] = [point[0] - moving.from[0], point[1] - moving.from[1]]
      zones.amend(replace(drawings, moving.key, (it) => moveBy(it, dx, dy)))
      drag.current = { ...moving, from: point }
    }
  }
  /** From here on a point follows the pointer. */
  const hold = (index: number, pointerId: number) => {
    if (!active) return
    drag.current = { kind: 'point', key: active.key, index }
    stage.current?.setPointerCapture(pointerId)
  }
  const onPointerUp = () => {
    const ended = drag.current
    drag.current = null
    if (ended?.kind !== 'rectangle') return
    // A click without a drag makes no rectangle.
    const made = drawings.find(({ key }) => key === ended.key)
    if (made && faultOf(made)) zones.undo()
    setTool('select')
  }

  const arrows: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }
  const step = (event: KeyboardEvent): Point | null => {
    const way = arrows[event.key]
    const by = event.shiftKey ? 0.05 : 0.01
    return way ? [way[0] * by, way[1] * by] : null
  }
  const onStageKey = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== stage.current) return
    const way = step(event)
    if (way) {
      const [x, y] = cursor ?? middle
      setCursor(inside([x + way[0], y + way[1]]))
    } else if (tool === 'rectangle' && [' ', 'Enter'].includes(event.key)) putCorner(cursor ?? middle)
    else if (event.key === ' ') put(cursor ?? middle)
    else if (event.key === 'Enter') close()
    else return
    event.preventDefault()
  }
  const onKey = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target instanceof HTMLInputElement) return
    const key = event.key.toLowerCase()
    if (event.ctrlKey || event.metaKey) {
      if (key === 'z' && !event.shiftKey) zones.undo()
      else if (key === 'y' || key === 'z') zones.redo()
      else return
    } else if (key === 'f') whole()
    else if (key === 'escape' && (active?.open || tool === 'rectangle')) giveUp()
    else {
      const named = toolOf(key)
      if (!named || (named === 'floor' && !measures)) return
      choose(named)
    }
    event.preventDefault()
    event.stopPropagation()
  }
  const onPointKey = (event: KeyboardEvent, drawing: Drawing, index: number) => {
    const way = step(event)
    const point = drawing.points[index] as Point
    if (way)
      zones.set(replace(drawings, drawing.key, (it) => movePoint(it, index, [point[0] + way[0], point[1] + way[1]])))
    else if (event.key === 'Delete' || event.key === 'Backspace')
      zones.set(replace(drawings, drawing.key, (it) => removePoint(it, index)))
    else if (event.key === 'Insert' || event.key === '+') insertAfter(drawing, index)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const insertAfter = (drawing: Drawing, index: number) => {
    const edge = middles(drawing).find(({ after }) => after === index)
    if (edge && drawing.kind !== 'floor')
      zones.set(replace(drawings, drawing.key, (it) => insertPoint(it, index, edge.at)))
  }
  const onMoveKey = (event: KeyboardEvent, drawing: Drawing) => {
    const way = step(event)
    if (way) zones.set(replace(drawings, drawing.key, (it) => moveBy(it, way[0], way[1])))
    else if (event.key === 'Delete' || event.key === 'Backspace') zones.remove(drawing.key)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const whole = () => {
    if (active && (active.kind === 'zone' || active.kind === 'mask'))
      zones.set(replace(drawings, active.key, (it) => ({ ...it, points: wholePicture, open: false })))
    else start('zone', wholePicture)
    setTool('select')
  }
  const add = (kind: ShapeKind) => {
    setTool(kind === 'zone' ? 'polygon' : kind)
    if (kind === 'line')
      // Complete at once, to be dragged into place: nobody has to guess how lines are drawn.
      start('line', [
        [0.2, 0.6],
        [0.8, 0.6],
      ])
    else start(kind)
    if (kind === 'line') setTool('select')
    stage.current?.focus()
  }

  const isRectangle = tool === 'rectangle'
  // A rectangle of which one corner is set reaches to the crosshair.
  const reaching = (drawing: Drawing): Drawing => {
    const [from] = drawing.points
    if (!isRectangle || !drawing.open || !from || !cursor) return drawing
    const [first, ...others] = rectangle(from, cursor)
    return { ...drawing, points: [first, ...others, first] as Point[] }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the editor as a whole, on whichever part has the focus
    <div className={classes.root} onKeyDown={onKey}>
      <div className={classes.left}>
        <ZoneToolbar zones={zones} tool={tool} measures={measures} onTool={choose} onWhole={whole} />
        <div
          ref={stage}
          className={classes.stage}
          style={{ aspectRatio }}
          data-tool={tool}
          role="application"
          aria-label={t('zones.stage')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application is interactive; points are set here by keyboard
          tabIndex={0}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerCancel={onPointerUp}
          onDoubleClick={close}
          onKeyDown={onStageKey}
        >
          <div className={classes.clip}>
            {picture}
            <svg className={classes.shapes} viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
              {shownOthers.map((drawing) => (
                <Outline key={drawing.key} drawing={drawing} color={maskColor} isActive={false} cursor={null} />
              ))}
              {drawings.map((drawing) => (
                <Outline
                  key={drawing.key}
                  drawing={reaching(drawing)}
                  color={colorOf(drawings, drawing.key)}
                  isActive={drawing.key === active?.key}
                  cursor={isRectangle ? null : cursor}
                />
              ))}
            </svg>
            {shownOthers.map((drawing) => (
              <Name key={drawing.key} drawing={drawing} aspectRatio={aspectRatio} color={maskColor} />
            ))}
            {drawings.map((drawing) => (
              <Name
                key={drawing.key}
                drawing={drawing}
                aspectRatio={aspectRatio}
                color={colorOf(drawings, drawing.key)}
              />
            ))}
          </div>
          {/* Beyond the clip: what lies on the border of the picture is seen and gripped as a whole. */}
          {(active?.open || isRectangle) && cursor && (
            <span className={classes.cursor} style={{ left: `${cursor[0] * 100}%`, top: `${cursor[1] * 100}%` }} />
          )}
          {active && (
            <Handles
              drawing={active}
              color={colorOf(drawings, active.key)}
              canInsert={tool === 'select' && !active.open && active.kind !== 'floor'}
              onInsert={(after, point, pointerId) => {
                zones.set(replace(drawings, active.key, (it) => insertPoint(it, after, point)))
                hold(after + 1, pointerId)
              }}
              onGrab={(index, pointerId) => {
                zones.step()
                hold(index, pointerId)
              }}
              onKey={(event, index) => onPointKey(event, active, index)}
              onRemove={(index) => {
                // A finger that rests on a point holds it; it does not ask for another menu.
                if (!drag.current) zones.set(replace(drawings, active.key, (it) => removePoint(it, index)))
              }}
              onMove={(from, pointerId) => {
                zones.step()
                drag.current = { kind: 'shape', key: active.key, from }
                stage.current?.setPointerCapture(pointerId)
              }}
              onMoveKey={(event) => onMoveKey(event, active)}
            />
          )}
        </div>
        <p className={classes.hint} role="status">
          {isRectangle
            ? t(`zones.hint.${active?.open ? (refused && refused === cursor ? 'flat' : 'opposite') : 'rectangle'}`)
            : active?.open
              ? t(`zones.hint.${active.kind}`)
              : t('zones.hintSelect')}
        </p>
      </div>
      <ZonePanel
        zones={zones}
        usecase={usecase}
        elements={elements}
        error={error && stillWrong(error, drawings) ? error : null}
        camera={camera}
        others={others}
        ofMasks={ofMasks}
        onAdd={add}
      >
        {children}
      </ZonePanel>
    </div>
  )
}
