import { createFileRoute } from '@tanstack/react-router'
import { ErrorPage } from '../app/ErrorPage.tsx'
import { optional, search, text } from '../app/search.ts'

export const Route = createFileRoute('/500')({
  validateSearch: search({ code: optional(text(8000)), msg: optional(text(2000)), trace: optional(text(2000)) }),
  component: Page,
})

function Page() {
  const { code, msg, trace } = Route.useSearch()
  return <ErrorPage code={500} status={code} message={msg} trace={trace} />
}
