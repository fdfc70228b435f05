import { createRouter } from '@tanstack/react-router'
import { routeTree } from '../routeTree.gen.ts'
import { PageSkeleton } from '../ui/Skeletons.tsx'
import { queryClient } from './client.ts'
import { landed } from './guards.ts'
import { languageRewrite } from './language.ts'
import { Missing } from './Missing.tsx'
import { RouteError } from './RouteError.tsx'

/** Addresses hold plain text (`?sid=…&q=…`), never JSON: a link in a report stays readable and an id stays a string. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))
function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value))
  return query.size > 0 ? `?${query}` : ''
}

export const router = createRouter({
  routeTree,
  context: { queryClient },
  rewrite: languageRewrite,
  defaultPreload: 'intent',
  // Query decides how fresh preloaded data is.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  parseSearch,
  stringifySearch,
  defaultPendingMs: 150,
  defaultPendingMinMs: 300,
  defaultPendingComponent: PageSkeleton,
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: Missing,
})

router.subscribe('onResolved', landed)

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
