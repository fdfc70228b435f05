import { createFileRoute, redirect, useRouter } from '@tanstack/react-router'
import { signedIn } from '../app/auth.ts'
import { Minimal } from '../app/Minimal.tsx'
import { optional, search, text } from '../app/search.ts'
import { safeNext } from '../app/verdict.ts'
import { BrandPanel } from '../login/BrandPanel.tsx'
import { LoginForm } from '../login/LoginForm.tsx'
import { session } from '../session.ts'

export const Route = createFileRoute('/login')({
  validateSearch: search({ next: optional(text(8000)) }),
  beforeLoad: () => {
    if (session.get()) throw redirect({ to: '/' })
  },
  component: Page,
})

function Page() {
  const router = useRouter()
  const { next } = Route.useSearch()
  return (
    <Minimal beside={<BrandPanel />}>
      <LoginForm
        onSignedIn={async (user) => {
          await signedIn(user)
          router.history.push(safeNext(next, location.origin))
        }}
      />
    </Minimal>
  )
}
