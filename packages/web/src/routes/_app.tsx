import { createFileRoute } from '@tanstack/react-router'
import { Shell } from '../app/Shell.tsx'

/** Screens in the default layout; each declares its own guard. */
export const Route = createFileRoute('/_app')({ component: Shell })
