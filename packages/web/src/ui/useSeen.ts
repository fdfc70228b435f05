import { type RefObject, useEffect, useRef, useState } from 'react'

/** What comes near the window counts as seen: it is ready when it is there. */
const ahead = '200px'

/** Whether what stands in `ref` is in the window now, or near it. */
export function useSeen<E extends Element>(): [ref: RefObject<E | null>, isSeen: boolean] {
  const ref = useRef<E>(null)
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    if (!ref.current) return
    const observer = new IntersectionObserver((entries) => setIsSeen(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: ahead,
    })
    observer.observe(ref.current)
    return () => observer.disconnect()
  }, [])
  return [ref, isSeen]
}
