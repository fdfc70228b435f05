import { type ComponentType, lazy } from 'react'

/**
 * A part of the shell that is loaded when it is wanted. One that cannot be loaded stays away, and takes neither page nor
 * banner along: after an update the page is loaded anew, or says that it must be (`missing-part.ts`).
 */
export const part = <P extends object>(load: () => Promise<{ default: ComponentType<P> }>) =>
  lazy(() =>
    load().catch((error: unknown) => {
      console.error(error)
      return { default: () => null }
    }),
  )
