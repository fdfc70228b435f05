import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod'
import { ErrorPage } from '../app/ErrorPage.tsx'

export const Route = createFileRoute('/500')({
  validateSearch: z.object({ code: z.string().optional(), msg: z.string().optional(), trace: z.string().optional() }),
  component: Page,
})

function Page() {
  const { code, msg, trace } = Route.useSearch()
  return <ErrorPage code={500} status={code} message={msg} trace={trace} />
}
