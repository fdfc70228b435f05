import { type RefObject, useEffect, useState } from 'react'

/**
 * Ids of the cameras whose tiles are in sight within `frame`.
 * @param key changes when other tiles are there
 */
export function useInSight(frame: RefObject<HTMLElement | null>, key: string): ReadonlySet<string> {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  // biome-ignore lint/correctness/useExhaustiveDependencies: other tiles are watched then
  useEffect(() => {
    if (!frame.current) return
    const observer = new IntersectionObserver(
      (entries) =>
        setSeen((before) => {
          const now = new Set(before)
          for (const { target, isIntersecting } of entries) {
            const id = (target as HTMLElement).dataset.tile ?? ''
            if (isIntersecting) now.add(id)
            else now.delete(id)
          }
          return now
        }),
      { threshold: 0.5 },
    )
    const watch = () => {
      observer.disconnect()
      for (const tile of frame.current?.querySelectorAll('[data-tile]') ?? []) observer.observe(tile)
    }
    watch()
    const changes = new MutationObserver(watch)
    const grid = frame.current.firstElementChild
    if (grid) changes.observe(grid, { childList: true })
    return () => {
      observer.disconnect()
      changes.disconnect()
    }
  }, [frame, key])
  return seen
}
