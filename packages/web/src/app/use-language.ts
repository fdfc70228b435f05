import { useRouter } from '@tanstack/react-router'
import type { Language } from '../i18n/index.ts'
import { session } from '../session.ts'
import { saveConfig } from './customer.ts'
import { chooseLanguage, withLanguage } from './language.ts'

/** Shows a language: the words, the address, and the person's setting. */
export function useChooseLanguage(): (next: Language) => Promise<void> {
  const router = useRouter()
  return async (next) => {
    await chooseLanguage(next)
    // To the router it is the same screen: only the address, which it does not see the language of, becomes another.
    const { pathname, searchStr, hash } = router.state.location
    router.history.replace(withLanguage(pathname, next) + searchStr + (hash ? `#${hash}` : ''))
    if (session.get()) await saveConfig({ language: next })
  }
}
