import { Refusal } from '../refusal.ts'

/**
 * Which bytes a request wants, first and last (RFC 9110, 14.1.2); null for all of them: without a range, with several, and
 * with one that is not understood.
 * @throws Refusal 416 when there are no such bytes
 */
export function wantedPart(range: string | undefined, size: number): { first: number; last: number } | null {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? []
  if (from === '' && to === '') return null
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (from !== '' && to !== '' && Number(to) < first) return null
  if (first >= size || (from === '' && Number(to) === 0))
    throw new Refusal(416, 'There are no such bytes', {
      code: 'range_invalid',
      headers: { 'content-range': `bytes */${size}` },
    })
  return { first, last }
}
