import type { EventEntity, Occasion } from '@sightline/contract'
import { metricsOf, usecaseKeys, usecases } from '@sightline/domain'
import { expect, test } from 'vitest'
import { loadLanguage } from '../../i18n/index.ts'
import { countedText } from '../../i18n/words.ts'
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
  expect(said(bare)).toBe('1 violation | No helmet')
  expect(said(near)).toBe('1 near miss | 0.42 m apart · 0.8 s from touching')
  expect(said(known)).toBe('1 face | Ada · likeness 0.62')
  expect(said(stranger)).toMatch(/^1 face \| Unknown[^·]*$/)
  expect(said(crossed)).toBe('1 out | Door · from shop to street')
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

test.each(['en', 'fr'] as const)(
  'in %s every number of every use case is told as words, of one and of several',
  async (language) => {
    await loadLanguage(language)
    for (const key of usecaseKeys)
      for (const metric of [...metricsOf(key), ...usecases[key].lineMetrics]) {
        const [one, several] = [1, 1200].map((count) => countedText(metric, key, count))
        expect(several, `${key} ${metric}`).toMatch(/^\p{L}.* \d|^1[ ,\u202f]200 \p{L}/u)
        expect(one, `${key} ${metric}`).toMatch(/^1 \p{L}|^\p{L}+/u)
        expect(one, `${key} ${metric}`).not.toContain('event.')
      }
  },
)

test('one is told as one, several as several, the most at once of a window, and a stay by its length', async () => {
  const intrusions = (violation: number) => titleOf(event('intrdtec', { violation }, {}))
  const window = { total: 1.4, total_min: 0, total_max: 2, violation: 0, violation_max: 0 }
  const collided = event('coldtec', { total_collision: 1, total: 1 }, {})
  const stay = event('loiterdtec', { violation: 1 }, { zone: 'Dock', peak: { dwell_time: 95 } })
  await loadLanguage('en')
  expect([intrusions(1), intrusions(3)]).toEqual(['1 intrusion', '3 intrusions'])
  expect(titleOf(event('pplcnt', window, {}))).toBe('2 people')
  expect(titleOf(collided)).toBe('1 collision')
  expect(said(stay)).toBe('1 overlong stay | Dock · Dwell time 1 min 35 s')
  await loadLanguage('fr')
  expect([intrusions(1), intrusions(3)]).toEqual(['1 intrusion', '3 intrusions'])
  expect(titleOf(event('pplcntavg', { moving_average_count: 1.5 }, {}))).toBe('1,5 personne en moyenne')
  expect(titleOf(event('fcmsk', { violation: 2 }, {}))).toBe('2 visages sans masque')
})
