import { useEffect, useState } from 'react'

/** Keeps the screen awake while `isWanted`; answers whether it is kept. Browsers release it in the background: asked for again then. */
export function useWakeLock(isWanted: boolean): boolean {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    // Not every browser has it, and none without HTTPS.
    if (!isWanted || !('wakeLock' in navigator)) return
    let lock: WakeLockSentinel | null = null
    let isOver = false
    const ask = async () => {
      if (document.visibilityState !== 'visible' || (lock && !lock.released)) return
      try {
        lock = await navigator.wakeLock.request('screen')
      } catch (error) {
        console.info('The screen cannot be kept awake:', error)
        return
      }
      if (isOver) return void lock.release()
      lock.addEventListener('release', () => setIsHeld(false))
      setIsHeld(true)
    }
    void ask()
    const again = () => void ask()
    document.addEventListener('visibilitychange', again)
    return () => {
      isOver = true
      document.removeEventListener('visibilitychange', again)
      void lock?.release()
      setIsHeld(false)
    }
  }, [isWanted])
  return isHeld
}
