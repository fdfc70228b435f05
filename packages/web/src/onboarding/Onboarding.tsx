import type { StepId } from './steps.ts'

export function Onboarding(_: { step: StepId | undefined; onStep: (step: StepId) => void }) {
  return null
}
