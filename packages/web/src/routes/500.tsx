import { createFileRoute } from '@tanstack/react-router'
import { ErrorPage } from '../app/ErrorPage.tsx'
import { choice, search, text } from '../app/search.ts'

export const Route = createFileRoute('/500')({
  validateSearch: search({ code: choice(text(200)), msg: choice(text(8000)), trace: choice(text(200)) }),
  component: Page,
})

function Page() {
  const { code, msg, trace } = Route.useSearch()
  return <ErrorPage code={500} status={code} message={msg} trace={trace} />
}
