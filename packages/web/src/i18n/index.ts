import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Pairs } from './catalogue.ts'
import { en } from './en/index.ts'
import { pairs as enPairs } from './en/pairs.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation'
    resources: { translation: typeof en }
  }
}

export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

const pairsOf: Partial<Record<Language, Pairs>> = { en: enPairs }

export const i18n = i18next.createInstance()
i18n.use(initReactI18next).init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  // React escapes.
  interpolation: { escapeValue: false },
})

export const language = (): Language => (i18n.language === 'fr' ? 'fr' : 'en')
export const pairs = (): Pairs => pairsOf[language()] ?? enPairs

/** Loads a language and shows it, `<html lang>` and dates included. */
export async function showLanguage(next: Language): Promise<void> {
  if (next === 'fr' && !pairsOf.fr) {
    const french = await import('./fr/index.ts')
    i18n.addResourceBundle('fr', 'translation', french.fr)
    pairsOf.fr = french.pairs
  }
  await i18n.changeLanguage(next)
  document.documentElement.lang = next
}
