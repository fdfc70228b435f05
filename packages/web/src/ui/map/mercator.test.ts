import { expect, test } from 'vitest'
import { fittedSight, mercator, type Sight, sightOf } from './mercator.ts'

const size = { width: 800, height: 600 }
const pixel = (place: { lat: number; long: number }, { x, y, pixels }: Sight) =>
  mercator(place).map((share, i) => Math.round((share - (i === 0 ? x : y)) * pixels))

test('the middle of the world is the middle of the map, and a pole is no end of it', () => {
  expect(mercator({ lat: 0, long: 0 })).toEqual([0.5, 0.5])
  expect(mercator({ lat: 90, long: 180 })[1]).toBeGreaterThan(0)
})

test('a view has its place in the middle of the frame, twice as far away at the next zoom', () => {
  const lyon = { lat: 45.76, long: 4.83 }
  expect(pixel(lyon, sightOf({ ...lyon, zoom: 5 }, size))).toEqual([400, 300])
  const east = { ...lyon, long: 5.83 }
  const away = (zoom: number) => (pixel(east, sightOf({ ...lyon, zoom }, size))[0] ?? 0) - 400
  expect(away(6)).toBeGreaterThanOrEqual(2 * away(5) - 1)
})

test('all places lie within the padding, the outermost at it; one alone is not looked at from nearer than allowed', () => {
  const [lyon, sydney] = [
    { lat: 45.76, long: 4.83 },
    { lat: -33.87, long: 151.21 },
  ]
  const sight = fittedSight([lyon, sydney], size, 48, 4)
  expect(pixel(lyon, sight)[0]).toBe(48)
  expect(pixel(sydney, sight)[0]).toBe(752)
  expect(fittedSight([lyon], size, 48, 4)).toEqual(sightOf({ ...lyon, zoom: 4 }, size))
})
