import { expect, test } from 'vitest'
import { type Activity, liveTiles, nextQuiet, noticed, quietMs } from './live-tiles.ts'

const at = (since: number, last = since): Activity => ({ since, last })

test('tiles show stills until something goes on, and again after quiet', () => {
  const activity = new Map([['lobby', at(0)]])
  expect(liveTiles(activity, ['lobby', 'dock'], quietMs - 1)).toEqual(['lobby'])
  expect(liveTiles(activity, ['lobby', 'dock'], quietMs)).toEqual([])
})

test('of more than can be shown the newest activity wins, and what goes on keeps its place', () => {
  const activity = new Map([
    ['old', at(0, 5000)],
    ['first', at(1000, 5000)],
    ['second', at(2000, 5000)],
  ])
  const inSight = ['old', 'first', 'second']
  expect(liveTiles(activity, inSight, 5000, 2)).toEqual(['second', 'first'])
  // It goes on: nothing new.
  activity.set('old', noticed(activity.get('old'), 6000))
  expect(liveTiles(activity, inSight, 6000, 2)).toEqual(['second', 'first'])
  // After quiet it begins anew, and is the newest.
  activity.set('old', noticed(activity.get('old'), 6000 + quietMs))
  expect(liveTiles(activity, inSight, 6000 + quietMs, 2)).toEqual(['old'])
})

test('a camera out of sight takes no video', () => {
  const activity = new Map([
    ['far', at(10)],
    ['near', at(0)],
  ])
  expect(liveTiles(activity, ['near'], 20, 1)).toEqual(['near'])
})

test('when the next tile falls quiet is known', () => {
  const activity = new Map([
    ['a', at(0, 3000)],
    ['b', at(0, 1000)],
    ['gone', at(-90_000)],
  ])
  expect(nextQuiet(activity, 5000)).toBe(1000 + quietMs)
  expect(nextQuiet(new Map(), 5000)).toBeNull()
})
