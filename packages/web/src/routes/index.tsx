import { createFileRoute, redirect } from '@tanstack/react-router'
import { needsFirstRun } from '../app/first-run.ts'
import { modules } from '../app/modules.ts'
import { rootTarget } from '../app/verdict.ts'
import { session } from '../session.ts'

/** The root has no face of its own: it leads to where the person can begin. */
export const Route = createFileRoute('/')({
  beforeLoad: async () => {
    if (await needsFirstRun()) throw redirect({ to: '/onboarding' })
    throw redirect({ to: rootTarget(session.get() ?? null, modules.get()) as '/' })
  },
})
