import { createFileRoute, redirect, useRouter } from '@tanstack/react-router'
import * as z from 'zod'
import { signedIn } from '../app/auth.ts'
import { Minimal } from '../app/Minimal.tsx'
import { safeNext } from '../app/verdict.ts'
import { BrandPanel } from '../login/BrandPanel.tsx'
import { LoginForm } from '../login/LoginForm.tsx'
import { session } from '../session.ts'

export const Route = createFileRoute('/login')({
  validateSearch: z.object({ next: z.string().optional() }),
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
