import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EnvFault, readEnv } from '../env.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { createGeocoder, readAnswer } from './geocoder.ts'

let server: Server
let origin: string
let asked: string[]
let answer: { status: number; body: string | null; headers?: Record<string, string> }
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(answer.status, answer.headers)
    // Null: it never ends.
    if (answer.body !== null) response.end(answer.body)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked = []
  answer = { status: 200, body: '[{"lat":"45.5","lon":"-73.6","address":{"town":"Laval","state":"Quebec"}}]' }
})
const geocoder = (now?: () => number) =>
  createGeocoder(`${origin}/search?c={country}&z={zip}`, { isAllowed: () => true }, now)

describe('a geocoder', () => {
  test('is asked once a day for each zip code, whatever stands in it', async () => {
    let time = 0
    const { find } = geocoder(() => time)
    const laval = { lat: 45.5, long: -73.6, city: 'Laval', state: 'Quebec' }
    expect(await find({ country: 'CA', zip: 'H7A 1B2&x', city: '' })).toEqual(laval)
    expect(await find({ country: 'CA', zip: 'h7a 1b2&x', city: 'Laval' })).toEqual(laval)
    expect(asked).toEqual(['/search?c=CA&z=H7A%201B2%26x'])
    time = 25 * 3_600_000
    await find({ country: 'CA', zip: 'H7A 1B2&x', city: '' })
    expect(asked).toHaveLength(2)
  })

  test('is asked for a town where its address has a place for one; otherwise nobody is asked', async () => {
    const town = { country: 'CA', zip: '', city: 'Trois-Rivières' }
    expect(await geocoder().find(town)).toBeNull()
    expect(asked).toEqual([])
    const { find } = createGeocoder(`${origin}/{country}?z={zip}&q={city}`, { isAllowed: () => true })
    expect(await find(town)).toMatchObject({ lat: 45.5, long: -73.6 })
    await find({ ...town, city: 'TROIS-RIVIÈRES' })
    await find({ ...town, zip: 'G8T' })
    expect(asked).toEqual(['/CA?z=&q=Trois-Rivi%C3%A8res', '/CA?z=G8T&q=Trois-Rivi%C3%A8res'])
  })

  test.each([
    ['answers an error', { status: 500, body: '' }, /answered 500/],
    [
      'sends on to another address',
      { status: 302, body: '', headers: { location: 'http://169.254.169.254/' } },
      /answered 302/,
    ],
    ['answers no JSON', { status: 200, body: '<html>' }, /JSON/],
    ['answers something else', { status: 200, body: '{"ok":true}' }, /features/],
    ['answers without end', { status: 200, body: 'x'.repeat(300_000) }, /more than/],
    ['names a place off the earth', { status: 200, body: '[{"lat":900,"lon":0}]' }, /off the earth/],
    ['never answers', { status: 200, body: null }, /abort|timeout/i],
  ])('that %s is given up, and asked again the next time', async (_, given, why) => {
    answer = given
    const { find } = geocoder()
    await expect(find({ country: 'CA', zip: 'H7A', city: '' })).rejects.toThrow(why)
    answer = { status: 200, body: '[]' }
    expect(await find({ country: 'CA', zip: 'H7A', city: '' })).toBeNull()
  })

  test.each([
    ['a list of places', '[{"lat":"1.5","lon":"2","display_name":"x"}]', { city: null, state: null }],
    [
      'places with a country',
      '{"country":"France","places":[{"latitude":"1.5","longitude":"2","place name":"Lyon","state":"Rhône"}]}',
      { city: 'Lyon', state: 'Rhône' },
    ],
    [
      'GeoJSON',
      '{"type":"FeatureCollection","features":[{"geometry":{"type":"Point","coordinates":[2,1.5]},"properties":{"locality":"Lyon"}}]}',
      { city: 'Lyon', state: null },
    ],
  ])('may answer %s', (_, json, names) => {
    expect(readAnswer(json)).toEqual({ lat: 1.5, long: 2, ...names })
  })
})

describe('a zip code', () => {
  let t: TestApp
  beforeAll(async () => {
    t = await testApp({ GEOCODER_URL: `${origin}/{country}/{zip}` })
  })
  afterAll(() => t.close())
  const look = async (input: object) => (await t.signIn('admin')).call('geo.zip', input)

  test('is not looked up on this machine: the middle of the country stands for it', async () => {
    const { status, body } = await look({ country: 'FR', zip: '75001' })
    expect(status).toBe(200)
    expect(body.response).toMatchObject({ found: false, precision: 'country', city: null, state: null })
    expect(body.response.lat).toBeCloseTo(46.6, 0)
    expect(body.response.long).toBeCloseTo(2.5, 0)
    expect(asked).toEqual([])
  })

  test('of a country that nobody knows gets the middle of the instance’s map', async () => {
    const { map_center } = (await t.stranger().call('instance.info')).body.response
    const { body } = await look({ country: 'XX', zip: '123' })
    const { lat, long } = map_center
    expect(body.response).toEqual({ found: false, precision: 'default', lat, long, city: null, state: null })
  })

  test('may be missing where a town is named', async () => {
    expect(await look({ country: 'FR', city: 'Lyon' })).toMatchObject({
      status: 200,
      body: { response: { found: false, precision: 'country' } },
    })
  })

  test.each([
    [{ country: 'FR', zip: '' }, { zip: ['required'] }],
    [{ country: 'FR', zip: '../..' }, { zip: ['zip_invalid'] }],
    [{ country: 'fr', zip: '75001' }, { country: ['min_length_2'] }],
    [{ country: '', zip: '75001' }, { country: ['required'] }],
  ])('has a form: %j', async (input, errors) => {
    expect(await look(input)).toMatchObject({ status: 400, body: { errors } })
  })
})

test.each(['ftp://example.org/{country}/{zip}', 'https://example.org/{zip}', 'example'])(
  'GEOCODER_URL %s is refused at the start',
  (GEOCODER_URL) => {
    expect(() => readEnv({ GEOCODER_URL })).toThrow(EnvFault)
  },
)
