import type { Device, Nimble } from '@sightline/contract'
import { type PointerEvent as Pressed, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { edgeName } from '../i18n/seeded.ts'
import classes from './nimble.module.css'

/** A press that moves less is a click. */
const leastPx = 6
/** This near the upper or lower end of the window the page goes along, so many pixels a frame. */
const edgePx = 70
const stepPx = 12

type Grabbed = { camera: Device; pointerId: number; x: number; y: number }

export type CameraDrag = {
  /** Of the camera that is on its way; null while none is. */
  dragged: Device | null
  /** The edge server that it would be given to. */
  over: string | null
  onPress(camera: Device, event: Pressed): void
}

/**
 * Lets a camera be drawn onto another edge server: by mouse from anywhere on its card, by finger or pen from its handle,
 * as the rest of the card scrolls the page. Targets are elements with `data-nimble` of the same organization. Escape ends
 * it.
 * @param onDrop is told which camera was let go over which other edge server; null: nobody may
 * @returns also what is drawn meanwhile and said to screen readers
 */
export function useCameraDrag(
  edges: readonly Nimble[],
  onDrop: ((camera: Device, nimble_id: string) => void) | null,
): { drag: CameraDrag | null; meanwhile: ReactNode } {
  const { t } = useTranslation()
  const [grabbed, setGrabbed] = useState<Grabbed | null>(null)
  const [isMoving, setIsMoving] = useState(false)
  const [over, setOver] = useState<string | null>(null)
  const [said, setSaid] = useState('')
  const label = useRef<HTMLDivElement>(null)
  const drop = useRef(onDrop)
  drop.current = onDrop
  const known = useRef(edges)
  known.current = edges
  const dragged = isMoving && grabbed ? grabbed.camera : null
  const target = edges.find(({ nimble_id }) => nimble_id === over)

  useEffect(() => {
    if (!grabbed) return
    let at = { x: grabbed.x, y: grabbed.y }
    let hasMoved = false
    let target: string | null = null
    let frame = 0
    const look = () => {
      label.current?.style.setProperty('translate', `${at.x + 14}px ${at.y + 10}px`)
      const under = document.elementFromPoint(at.x, at.y)?.closest<HTMLElement>('[data-nimble]')?.dataset.nimble ?? null
      const { nimble_id, organization_id } = grabbed.camera
      const edge = known.current.find((one) => one.nimble_id === under)
      target = edge && under !== nimble_id && edge.organization_id === organization_id ? under : null
      setOver(target)
    }
    const follow = () => {
      const step = at.y < edgePx ? -stepPx : at.y > innerHeight - edgePx ? stepPx : 0
      if (step !== 0) scrollBy(0, step)
      look()
      frame = requestAnimationFrame(follow)
    }
    const onMove = (event: PointerEvent) => {
      if (event.pointerId !== grabbed.pointerId) return
      at = { x: event.clientX, y: event.clientY }
      if (hasMoved || Math.hypot(at.x - grabbed.x, at.y - grabbed.y) < leastPx) return
      hasMoved = true
      setIsMoving(true)
      getSelection()?.removeAllRanges()
      frame = requestAnimationFrame(follow)
    }
    const end = (isDropped: boolean) => {
      if (isDropped && hasMoved) look()
      setGrabbed(null)
      setIsMoving(false)
      setOver(null)
      if (hasMoved) setSaid(isDropped && target ? '' : t('deployment.dragEnded'))
      if (isDropped && hasMoved && target) drop.current?.(grabbed.camera, target)
    }
    const onUp = (event: PointerEvent) => event.pointerId === grabbed.pointerId && end(true)
    const onCancel = (event: PointerEvent) => event.pointerId === grabbed.pointerId && end(false)
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      end(false)
    }
    // What lies under the pointer must not take the drag for one of its own, of a picture or a link.
    const onNative = (event: DragEvent) => event.preventDefault()
    addEventListener('pointermove', onMove)
    addEventListener('pointerup', onUp)
    addEventListener('pointercancel', onCancel)
    addEventListener('keydown', onKey, true)
    addEventListener('dragstart', onNative)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('pointermove', onMove)
      removeEventListener('pointerup', onUp)
      removeEventListener('pointercancel', onCancel)
      removeEventListener('keydown', onKey, true)
      removeEventListener('dragstart', onNative)
    }
  }, [grabbed, t])

  const onPress = (camera: Device, event: Pressed) => {
    const pressed = event.target as HTMLElement
    const isHandle = pressed.closest('[data-handle]') !== null
    if (event.button !== 0 || !event.isPrimary || pressed.closest('a,button')) return
    if (event.pointerType !== 'mouse' && !isHandle) return
    setGrabbed({ camera, pointerId: event.pointerId, x: event.clientX, y: event.clientY })
  }
  return {
    drag: onDrop && { dragged, over, onPress },
    meanwhile: onDrop && (
      <>
        {dragged && (
          <div ref={label} className={classes.dragged} aria-hidden="true">
            {dragged.device_name}
            {target && <span className="muted"> → {edgeName(target)}</span>}
          </div>
        )}
        <span className="sr" role="status">
          {!dragged
            ? said
            : target
              ? t('deployment.dragOver', { name: dragged.device_name, target: edgeName(target) })
              : t('deployment.dragging', { name: dragged.device_name })}
        </span>
      </>
    ),
  }
}
