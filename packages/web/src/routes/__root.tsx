import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { boot } from '../app/auth.ts'
import { NotFoundPage } from '../app/ErrorPage.tsx'
import { StartError } from '../app/RouteError.tsx'
import { ShellSkeleton } from '../app/ShellSkeleton.tsx'
import { useThemeOfUser } from '../app/theme.ts'
import { LeaveQuestion } from '../ui/LeaveQuestion.tsx'

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  beforeLoad: () => boot(),
  errorComponent: StartError,
  notFoundComponent: NotFoundPage,
  pendingComponent: ShellSkeleton,
  component: Root,
})

function Root() {
  useThemeOfUser()
  return (
    <>
      <Outlet />
      <LeaveQuestion />
    </>
  )
}
