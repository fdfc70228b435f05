import { createFileRoute } from '@tanstack/react-router'
import { Missing } from '../app/Missing.tsx'
import { Shell } from '../app/Shell.tsx'

/** Screens in the default layout; each declares its own guard. A screen out of reach says so inside the shell. */
export const Route = createFileRoute('/_app')({
  component: Shell,
  notFoundComponent: (props) => (
    <Shell>
      <Missing {...props} />
    </Shell>
  ),
})
