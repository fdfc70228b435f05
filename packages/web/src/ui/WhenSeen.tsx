import { type ReactNode, useEffect, useRef, useState } from 'react'
import { BlockSkeleton } from './Skeletons.tsx'

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
  return (
    <div ref={frame}>
      <BlockSkeleton height={height} />
    </div>
  )
}
