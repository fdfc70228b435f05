import { useRouter } from '@tanstack/react-router'
import type { Language } from '../i18n/index.ts'
import { session } from '../session.ts'
import { saveConfig } from './customer.ts'
import { chooseLanguage } from './language.ts'

/** Shows a language: the words, the address, and the person's setting. */
export function useChooseLanguage(): (next: Language) => Promise<void> {
  const router = useRouter()
  return async (next) => {
    await chooseLanguage(next)
    // The same screen again, so that its address carries the new language.
    await router.navigate({ to: '.', search: true, replace: true })
    if (session.get()) await saveConfig({ language: next })
  }
}
