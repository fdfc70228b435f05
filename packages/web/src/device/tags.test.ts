import { expect, test } from 'vitest'
import { parseTags, tagsText } from './tags.ts'

test('tags read back as they were written, whatever the spaces', () => {
  const tags = { floor: '2', 'north side': 'a=b' }
  expect(parseTags(tagsText(tags))).toEqual(tags)
  expect(parseTags(' floor=2 \n\n north side =  a=b ')).toEqual(tags)
})
