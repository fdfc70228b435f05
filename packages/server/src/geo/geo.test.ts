import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { EnvFault, readEnv } from '../env.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'
import { createGeocoder, type Geocoder, readAnswer } from './geocoder.ts'

let server: Server
let origin: string
let asked: string[]
let held: ServerResponse[]
let answer: { status: number; body: string | null; headers?: Record<string, string> }
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(answer.status, answer.headers)
    // Null: not before the test says so.
    if (answer.body === null) held.push(response)
    else response.end(answer.body)
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
  held = []
  answer = { status: 200, body: '[{"lat":"45.5","lon":"-73.6","address":{"town":"Laval","state":"Quebec"}}]' }
})
const geocoder = (now?: () => number) =>
  createGeocoder(`${origin}/search?c={country}&z={zip}`, { isAllowed: () => true }, now)

describe('a geocoder', () => {
  test('is asked once a day for each zip code, whatever stands in it', async () => {
    let time = 0
    const { find } = geocoder(() => time)
    const laval = { lat: 45.5, long: -73.6, city: 'Laval', state: 'Quebec' }
    expect(await find({ country: 'CA', zip: 'H7A 1B2&x', city: '' }, 1)).toEqual(laval)
    expect(await find({ country: 'CA', zip: 'h7a 1b2&x', city: 'Laval' }, 1)).toEqual(laval)
    expect(asked).toEqual(['/search?c=CA&z=H7A%201B2%26x'])
    time = 25 * 3_600_000
    await find({ country: 'CA', zip: 'H7A 1B2&x', city: '' }, 1)
    expect(asked).toHaveLength(2)
  })

  test('is asked for a town where its address has a place for one; otherwise nobody is asked', async () => {
    const town = { country: 'CA', zip: '', city: 'Trois-Rivières' }
    expect(await geocoder().find(town, 1)).toBeNull()
    expect(asked).toEqual([])
    const { find } = createGeocoder(`${origin}/{country}?z={zip}&q={city}`, { isAllowed: () => true })
    expect(await find(town, 1)).toMatchObject({ lat: 45.5, long: -73.6 })
    await find({ ...town, city: 'TROIS-RIVIÈRES' }, 1)
    await find({ ...town, zip: 'G8T' }, 1)
    expect(asked).toEqual(['/CA?z=&q=Trois-Rivi%C3%A8res', '/CA?z=G8T&q=Trois-Rivi%C3%A8res'])
  })

  test('is asked little at once, of one organization less; who comes then is refused, and asks again', async () => {
    answer = { status: 200, body: null }
    const { find } = geocoder()
    const look = (tenantId: number, zip: number) => find({ country: 'CA', zip: String(zip), city: '' }, tenantId)
    const busy = { status: 503, code: 'busy' }
    const first = Array.from({ length: 8 }, (_, i) => look(1, i))
    await expect(look(1, 8)).rejects.toMatchObject(busy)
    const second = Array.from({ length: 8 }, (_, i) => look(2, 10 + i))
    await until(() => held.length === 8, 'four of each are asked')
    // Eight are asked; four of a third and four of a fourth wait for them, and with that all do.
    const others = [3, 4].flatMap((tenantId) =>
      Array.from({ length: 4 }, (_, i) => look(tenantId, 20 + 10 * tenantId + i)),
    )
    await expect(look(5, 90)).rejects.toMatchObject(busy)
    expect(held).toHaveLength(8)
    answer = { status: 200, body: '[]' }
    for (const response of held) response.end('[]')
    expect(await Promise.all([...first, ...second, ...others])).toEqual(Array.from({ length: 24 }, () => null))
    expect(await look(1, 8)).toBeNull()
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
    await expect(find({ country: 'CA', zip: 'H7A', city: '' }, 1)).rejects.toThrow(why)
    answer = { status: 200, body: '[]' }
    expect(await find({ country: 'CA', zip: 'H7A', city: '' }, 1)).toBeNull()
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

  test.each([
    ['FR', '75001', 'area', 48.9, 2.4],
    ['FR', '97410', 'area', -21.1, 55.5],
    ['US', '10001', 'area', 40.8, -74],
    ['CA', 'h2x 1y4', 'area', 45.5, -73.6],
    ['FR', '00001', 'country', 46.6, 2.5],
    ['DE', '10115', 'country', 51.1, 10.4],
  ])(
    'is not looked up on this machine: %s %s begins in the middle of its %s',
    async (country, zip, precision, lat, long) => {
      const { status, body } = await look({ country, zip })
      expect(status).toBe(200)
      expect(body.response).toMatchObject({ found: false, precision, city: null, state: null })
      expect(body.response.lat).toBeCloseTo(lat, 0)
      expect(body.response.long).toBeCloseTo(long, 0)
      expect(asked).toEqual([])
    },
  )

  test('is looked up thirty times a minute by one person, and another goes on', async () => {
    const person = await t.signIn('admin')
    const answers = await Promise.all(
      Array.from({ length: 31 }, (_, i) => person.call('geo.zip', { country: 'FR', zip: String(75_000 + i) })),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toMatchObject([
      { status: 429, body: { error_code: 'rate_limited', args: { seconds: expect.any(Number) } } },
    ])
    expect((await look({ country: 'FR', zip: '75001' })).status).toBe(200)
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

describe('sites of one call', () => {
  let t: TestApp
  let admin: Client
  let customer_id: string
  let real: Geocoder
  beforeAll(async () => {
    real = geocoder()
    t = await testApp({}, { geocoder: real })
    admin = await t.signIn('admin')
    customer_id = (await t.make.customer()).uid
  })
  afterAll(() => t.close())
  let count = 0
  const imported = async (...addresses: object[]) => {
    const sites = addresses.map((more) => ({
      site_name: `Imported ${++count}`,
      customer_id,
      site_address: { site_timezone: 'America/Toronto', ...more },
    }))
    const { rows } = (await admin.call('site.import', { sites })).body.response
    return Promise.all(
      rows.map(async ({ outcome, site_id, is_placed }: { outcome: string; site_id: string; is_placed: boolean }) => {
        const { lat, long } = (await admin.call('site.get', { site_id })).body.response.site_address
        return [outcome, is_placed, lat, long]
      }),
    )
  }
  const laval = { site_country: 'CA', site_zip: 'H7A' }

  test('are placed by their address', async () => {
    expect(await imported(laval, { ...laval, lat: 1, long: 2 }, { site_country: 'CA' })).toEqual([
      ['created', true, 45.5, -73.6],
      ['created', true, 1, 2],
      ['created', false, null, null],
    ])
  })

  test('are on no map where only their country is known: its middle is nobody’s position', async () => {
    answer = { status: 200, body: '[]' }
    expect(await imported({ ...laval, site_zip: 'J0J' })).toEqual([['created', false, null, null]])
    expect(asked).toHaveLength(1)
  })

  test('are there also while the geocoder is busy', async () => {
    answer = { status: 200, body: null }
    const tenant = admin.user?.tenant_id as number
    const crowd = Array.from({ length: 8 }, (_, i) => real.find({ country: 'CA', zip: String(i), city: '' }, tenant))
    await until(() => held.length === 4, 'four are asked, and four wait')
    const far = { site_country: 'CA', site_zip: 'G8T' }
    expect(await imported(far, far, { ...far, lat: 1, long: 2 })).toEqual([
      ['created', false, null, null],
      ['created', false, null, null],
      ['created', true, 1, 2],
    ])
    answer = { status: 200, body: '[]' }
    for (const response of held) response.end('[]')
    await Promise.all(crowd)
  })
})

test.each(['ftp://example.org/{country}/{zip}', 'https://example.org/{zip}', 'example'])(
  'GEOCODER_URL %s is refused at the start',
  (GEOCODER_URL) => {
    expect(() => readEnv({ GEOCODER_URL })).toThrow(EnvFault)
  },
)
