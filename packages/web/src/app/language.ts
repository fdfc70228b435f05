import { type Language, language, languages, showLanguage } from '../i18n/index.ts'

const savedAs = 'language'
const isLanguage = (value: unknown): value is Language => languages.includes(value as Language)

/** `/fr/site` → `['fr', '/site']`, `/site` → `[null, '/site']`. */
export function splitLanguage(pathname: string): [Language | null, string] {
  const [, first, ...rest] = pathname.split('/')
  return isLanguage(first) ? [first, `/${rest.join('/')}`] : [null, pathname]
}

/** English addresses carry no prefix, the others theirs. */
export const withLanguage = (pathname: string, shown: Language): string =>
  shown === 'en' ? pathname : `/${shown}${pathname === '/' ? '' : pathname}`

/** The router sees addresses without their language; people see them with it. */
export const languageRewrite = {
  input({ url }: { url: URL }): URL | undefined {
    const [prefix, rest] = splitLanguage(url.pathname)
    if (!prefix) return undefined
    url.pathname = rest
    return url
  },
  output({ url }: { url: URL }): URL | undefined {
    const [prefix, rest] = splitLanguage(url.pathname)
    url.pathname = withLanguage(prefix ? rest : url.pathname, language())
    return url
  },
}

/** Whether the address of the first load said which language it wants: then the person's own setting waits. */
export const addressLanguage = splitLanguage(globalThis.location?.pathname ?? '/')[0]

/** The address decides, then what was chosen on this machine, then the browser. */
export async function startLanguage(): Promise<void> {
  const saved = localStorage.getItem(savedAs)
  const browser = navigator.language.startsWith('fr') ? 'fr' : 'en'
  const first = addressLanguage ?? (isLanguage(saved) ? saved : browser)
  await showLanguage(first)
}

/** Shows a language and remembers it on this machine. */
export async function chooseLanguage(next: Language): Promise<void> {
  localStorage.setItem(savedAs, next)
  await showLanguage(next)
}
