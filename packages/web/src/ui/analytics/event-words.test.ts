import type { EventEntity, Occasion } from '@sightline/contract'
import { expect, test } from 'vitest'
import { loadLanguage } from '../../i18n/index.ts'
import { occasionText, titleOf } from './event-words.ts'

const plain = { is_instant: true, ended_at: null, peak: {}, person: null, zone: null, direction: null } as object
const nothing = { from_side: null, to_side: null, finding: null, item: null, likeness: null }
const event = (usecase_key: string, metrics: object, occasion: Partial<Occasion>) =>
  ({
    ...{ usecase_key, metrics, kind: 'open', observed_at: '2026-11-22T12:00:00.000Z' },
    occasion: { ...plain, ...nothing, distance_m: null, time_to_collision_s: null, ...occasion },
  }) as unknown as EventEntity
const putRight = { ...event('pplocc', {}, {}), levels: { occupancy: 12 } } as EventEntity
const said = (one: EventEntity) => [titleOf(one), occasionText(one)].filter(Boolean).join(' | ')

const nobody = event('emptyframecheck', { total: 1 }, { finding: 'nobody' })
const covered = event('emptyframecheck', { total: 1 }, { finding: 'covered' })
const bare = event('ppedtec', { violation: 1 }, { item: 'helmet' })
const near = event('coldtec', { total_near_miss: 1 }, { distance_m: 0.42, time_to_collision_s: 0.8 })
const known = event('fcrecog', { total: 1 }, { person: 'Ada', likeness: 0.618 })
const stranger = event('fcrecog', { total: 1 }, { likeness: 0.2 })
const crossed = event('pplocc', { down: 1 }, { zone: 'Door', direction: 'down', from_side: 'shop', to_side: 'street' })

test('an event says what happened: an empty room is not a blind camera, a helmet no vest', async () => {
  await loadLanguage('en')
  expect(said(nobody)).toBe('Nobody there')
  expect(said(covered)).toBe('Covered lens')
  expect(said(bare)).toBe('Violations 1 | No helmet')
  expect(said(near)).toBe('Near misses 1 | 0.42 m apart · 0.8 s from touching')
  expect(said(known)).toBe('Total 1 | Ada · likeness 0.62')
  expect(said(stranger)).toMatch(/^Total 1 \| Unknown[^·]*$/)
  expect(said(crossed)).toBe('Down 1 | Door · from shop to street')
  expect(said(putRight)).toBe('Occupancy set to 12')
})

test('in French too', async () => {
  await loadLanguage('fr')
  expect(said(nobody)).toBe('Personne')
  expect(said(bare)).toMatch(/Sans casque/)
  expect(said(near)).toMatch(/à 0,42 m l’un de l’autre/)
  expect(said(crossed)).toMatch(/Door · de shop vers street$/)
  expect(said(putRight)).toBe('Occupation corrigée à 12')
})
