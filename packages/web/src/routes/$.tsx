import { createFileRoute, redirect } from '@tanstack/react-router'

/** An unknown path leads to the root; missing entities have the 404 page. */
export const Route = createFileRoute('/$')({
  beforeLoad: () => {
    throw redirect({ to: '/' })
  },
})
