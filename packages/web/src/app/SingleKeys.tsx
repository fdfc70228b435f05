import { Suspense, useEffect, useRef, useState } from 'react'
import { gotoKeys } from '../screens.ts'
import { session } from '../session.ts'
import { useGo } from '../ui/Go.tsx'
import { hasScreen, modules } from './modules.ts'
import { part } from './part.ts'

const KeySheet = part(() => import('./KeySheet.tsx'))

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** How long after `g` the second key counts. */
const chordMs = 1200

/** Keys without a modifier: `g d` go to, `/` filter, `?` this sheet. They can be turned off in the profile. */
export function SingleKeys() {
  const go = useGo()
  const [isOpen, setIsOpen] = useState(false)
  const chordUntil = useRef(0)

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
      if (session.get()?.user_config.ui_config.single_keys === false && event.key !== '?') return
      // A dialog has the keys to itself.
      if (document.querySelector('[role=dialog][aria-modal=true]')) return
      const path = gotoKeys[event.key]
      if (performance.now() < chordUntil.current && path) {
        chordUntil.current = 0
        if (hasScreen(modules.get(), path)) go(path)
      } else if (event.key === 'g') chordUntil.current = performance.now() + chordMs
      else if (event.key === '?') setIsOpen(true)
      else if (event.key === '/') document.querySelector<HTMLInputElement>('[data-filter]')?.focus()
      else if (event.key === 'c') document.querySelector<HTMLElement>('[data-create]')?.click()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [go])

  if (!isOpen) return null
  return (
    <Suspense>
      <KeySheet onClose={() => setIsOpen(false)} />
    </Suspense>
  )
}
