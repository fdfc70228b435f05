import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { dropDraft, writeDraft } from './draft.ts'
import { useUnsaved } from './useUnsaved.ts'

type Options = {
  name: string
  /** What of the work is written down, without passwords; the same object while it is unchanged. Null: nothing is. */
  now: object | null
  /** Whether leaving would lose something; without it, whether anything is written down. */
  isUnsaved?: boolean
  /** What of the work is not written down, in words. */
  lost?: readonly string[]
}

/**
 * The draft of work that is no form, such as rows that are typed or a file whose columns are matched: kept in the tab
 * like those of forms, and asked about before the screen is left. The screen begins with what `readDraft` answers.
 */
export function useKept({ name, now, isUnsaved = now !== null, lost = [] }: Options): void {
  const { t } = useTranslation()
  const isLeft = useRef(false)
  const isTooLarge = useRef(false)
  useEffect(() => {
    isLeft.current = false
    if (now) isTooLarge.current = !writeDraft(name, now)
    else dropDraft(name)
  }, [name, now])
  useUnsaved({
    isUnsaved: () => isUnsaved && !isLeft.current,
    forget() {
      isLeft.current = true
      dropDraft(name)
    },
    lost: () => (isTooLarge.current ? [...lost, t('state.lostLarge')] : lost),
  })
}
