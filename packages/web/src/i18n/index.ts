import i18next, { type FormatterModule } from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Catalogue, Pairs } from './catalogue.ts'
import type { en } from './en/index.ts'
import { formatNumber } from './format.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof en }
  }
}

export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

/** Words and messages come with the language that is shown, and only with that. */
const sources: Record<Language, () => Promise<{ words: Catalogue; pairs: Pairs }>> = {
  en: () => import('./en/index.ts').then(({ en, pairs }) => ({ words: en, pairs })),
  fr: () => import('./fr/index.ts').then(({ fr, pairs }) => ({ words: fr, pairs })),
}
const pairsOf: Partial<Record<Language, Pairs>> = {}

/** A text that says how many says it as its language writes numbers; ports and codes stay as they are. */
const counts: FormatterModule = {
  type: 'formatter',
  // No text names a format of its own.
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _format, _language, options) =>
    options?.interpolationkey === 'count' && typeof value === 'number' ? formatNumber(value) : value,
}

export const i18n = i18next.createInstance()
i18n
  .use(initReactI18next)
  .use(counts)
  .init({
    lng: 'en',
    resources: {},
    // React escapes.
    interpolation: { escapeValue: false, alwaysFormat: true },
  })

export const language = (): Language => (i18n.language === 'fr' ? 'fr' : 'en')
/** What operations say when they are done and when they fail, in the language that is shown. */
export function pairs(): Pairs {
  const shown = pairsOf[language()]
  if (!shown) throw new Error('No language is loaded yet.')
  return shown
}

/** Loads a language and takes its words from now on. */
export async function loadLanguage(next: Language): Promise<void> {
  if (!pairsOf[next]) {
    const source = await sources[next]()
    i18n.addResourceBundle(next, 'translation', source.words)
    pairsOf[next] = source.pairs
  }
  await i18n.changeLanguage(next)
}

/** Loads a language and shows it, `<html lang>` and dates included. */
export async function showLanguage(next: Language): Promise<void> {
  await loadLanguage(next)
  document.documentElement.lang = next
}
