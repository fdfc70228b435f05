import type { UserInfo } from '@sightline/contract'
import { expect, test, vi } from 'vitest'
import { session } from '../session.ts'
import { draftText, readDraft, writeDraft } from './draft.ts'

test('what somebody typed is there again for that person, and gone once another begins in the tab', () => {
  vi.stubGlobal('sessionStorage', emptyStorage())
  const comes = (user_id: string | null) => session.set(user_id === null ? null : ({ user_id } as UserInfo))
  comes('ann')
  writeDraft('site.new', { name: 'Ann’s' })
  comes(null)
  expect(readDraft('site.new')).toBeNull()
  comes('ann')
  expect(readDraft('site.new')).toEqual({ name: 'Ann’s' })
  comes('ben')
  expect(readDraft('site.new')).toBeNull()
  expect(Object.keys(sessionStorage)).toEqual([])
})

/** As a browser's: what is kept are its own properties. */
const emptyStorage = (): object =>
  Object.create({
    getItem(this: Record<string, string>, key: string) {
      return this[key] ?? null
    },
    setItem(this: Record<string, string>, key: string, text: string) {
      this[key] = text
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key]
    },
  })

test('a draft keeps addresses without the person and password inside', () => {
  const draft = {
    values: { stream_address: 'rtsp://root:p@ss@10.0.0.5:554/s?at=a@b', mail: 'a@example.com' },
    rows: [['Door', 'RTSP://u:p@[fd00::5]/a'], ['two rtsp://a:b@c/ and http://d:e@f/']],
    port: 554,
  }
  expect(JSON.parse(draftText(draft))).toEqual({
    values: { stream_address: 'rtsp://10.0.0.5:554/s?at=a@b', mail: 'a@example.com' },
    rows: [['Door', 'RTSP://[fd00::5]/a'], ['two rtsp://c/ and http://f/']],
    port: 554,
  })
})
