import { type ReactNode, useEffect, useRef, useState } from 'react'

/** So far below the window it is made ready: nobody who scrolls meets the empty frame. */
const ahead = '300px'

/** What stands far down a page: made, and what it needs loaded, when it comes near the window. It stays then. */
export function WhenSeen({ height, children }: { height: number; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    if (!frame.current) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setIsNear(true), {
      rootMargin: ahead,
    })
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  if (isNear) return children
  // Not a skeleton: nothing is on its way yet, and readers of the screen need not wait for it.
  return <div ref={frame} style={{ height }} />
}
