import { createFileRoute } from '@tanstack/react-router'
import { ErrorPage } from '../app/ErrorPage.tsx'

export const Route = createFileRoute('/400')({ component: () => <ErrorPage code={400} /> })
