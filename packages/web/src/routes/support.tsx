import { createFileRoute } from '@tanstack/react-router'
import { Minimal } from '../app/Minimal.tsx'
import { Shell } from '../app/Shell.tsx'
import { Support } from '../login/Support.tsx'
import { session } from '../session.ts'
import { useStore } from '../store.ts'

/** Help stands in the same place for everyone, signed in or not. */
export const Route = createFileRoute('/support')({ component: Page })

function Page() {
  const isSignedIn = useStore(session, Boolean)
  if (isSignedIn)
    return (
      <Shell>
        <Support />
      </Shell>
    )
  return (
    <Minimal wide>
      <Support />
    </Minimal>
  )
}
