import { expect, test } from 'vitest'
import { rebase } from './rebase.ts'

const before = { name: 'Gate', zip: '', address: { city: 'Lyon', street: 'Rue A' }, tags: ['a'] }

test('what was typed lies on top of what somebody else saved meanwhile, and undoes nothing beside it', () => {
  const mine = { ...before, name: 'North gate', address: { ...before.address, street: 'Rue B' } }
  const theirs = { ...before, zip: '69003', address: { ...before.address, city: 'Nice' }, tags: ['b'] }
  expect(rebase(before, mine, theirs)).toEqual({
    name: 'North gate',
    zip: '69003',
    address: { city: 'Nice', street: 'Rue B' },
    tags: ['b'],
  })
})

test('where both changed the same field, what was typed wins', () => {
  expect(rebase(before, { ...before, name: 'Mine' }, { ...before, name: 'Theirs' }).name).toBe('Mine')
})
