import { expect, test } from 'vitest'
import { splitLanguage, withLanguage } from './language.ts'

test.each([
  ['/fr/site', 'fr', '/site'],
  ['/fr', 'fr', '/'],
  ['/fr/', 'fr', '/'],
  ['/en/site/view', 'en', '/site/view'],
  ['/site', null, '/site'],
  ['/', null, '/'],
  ['/french/site', null, '/french/site'],
] as const)('%s has the language %s and the path %s', (pathname, language, path) => {
  expect(splitLanguage(pathname)).toEqual([language, path])
})

test.each([
  ['/site', 'en', '/site'],
  ['/site', 'fr', '/fr/site'],
  ['/', 'fr', '/fr'],
] as const)('%s in %s is shown as %s', (path, language, shown) => {
  expect(withLanguage(path, language)).toBe(shown)
})
