import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from '../store.ts'
import { question } from './leaving.ts'

/** Loaded when somebody is about to leave unsaved changes. */
const Confirm = lazy(() => import('./Confirm.tsx').then((module) => ({ default: module.Confirm })))

/** The question before unsaved work is left. Drawn once, around all screens: none can ask and forget to show it. */
export function LeaveQuestion() {
  const { t } = useTranslation()
  const asked = useStore(question)
  if (!asked) return null
  return (
    <Suspense>
      <Confirm
        opened
        onClose={() => asked.answer(false)}
        title={t('state.unsavedTitle')}
        confirmLabel={t('state.unsavedLeave')}
        cancelLabel={t('state.unsavedStay')}
        pending={false}
        onConfirm={() => asked.answer(true)}
      >
        {t('state.unsavedText')}
      </Confirm>
    </Suspense>
  )
}
