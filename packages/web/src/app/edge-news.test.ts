import type { Nimble } from '@sightline/contract'
import { expect, test } from 'vitest'
import { edgeNews } from './edge-news.ts'

type State = NonNullable<Nimble['status']>['state']
const edge = (nimble_id: string, state: State) => ({ nimble_id, status: { state } }) as Nimble
const ids = (edges: readonly Nimble[]) => edges.map(({ nimble_id }) => nimble_id)

test('every edge server that is down is named, and who is back is told once, when it really is', () => {
  const first = edgeNews(new Set(), [edge('a', 'unreachable'), edge('b', 'refused'), edge('c', 'online')])
  expect([ids(first.down), ids(first.back)]).toEqual([['a', 'b'], []])
  const trying = edgeNews(first.remembered, [edge('a', 'connecting'), edge('b', 'refused'), edge('c', 'online')])
  expect([ids(trying.down), ids(trying.back)]).toEqual([['b'], []])
  const back = edgeNews(trying.remembered, [edge('a', 'online'), edge('b', 'online'), edge('c', 'online')])
  expect([ids(back.down), ids(back.back)]).toEqual([[], ['a', 'b']])
  expect(edgeNews(back.remembered, [edge('a', 'online')]).back).toEqual([])
})
