import { fieldErrors, issueId, type OpId } from '@sightline/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Client, rowOf, type TestApp, testApp } from './testing/app.ts'

let t: TestApp
let root: Client
let ids: { site: string; nimble: string; device: string; license: string }
beforeAll(async () => {
  t = await testApp()
  root = await t.signIn('super_admin')
  const nimble = await t.make.nimble()
  const device = await t.make.device({}, undefined, nimble)
  const site = await t.make.site()
  const license = await t.make.license(nimble)
  ids = { site: site.uid, nimble: nimble.uid, device: device.uid, license: license.uid }
})
afterAll(() => t.close())

const customer = (more: object = {}) => ({ customer_name: 'Acme', ...more })
const person = (more: object = {}) => ({
  firstname: 'Ada',
  lastname: 'Martin',
  email: 'ada@example.org',
  username: 'ada.martin',
  password: 'Lantern!Quay42',
  confirm_password: 'Lantern!Quay42',
  ...more,
})
const edge = (more: object = {}) => ({
  name: 'Rack',
  address: '10.0.0.7',
  port: 8090,
  license_id: ids.license,
  ...more,
})
const camera = (more: object = {}) => ({
  device_name: 'Gate',
  site_id: ids.site,
  nimble_id: ids.nimble,
  stream_address: 'rtsp://10.0.0.7/main',
  ...more,
})
const analytic = (more: object = {}) => ({
  channel_name: 'Lobby',
  device_id: ids.device,
  usecase_key: 'pplcnt',
  zones: [
    {
      points: [
        [0, 0],
        [1, 0],
        [1, 1],
      ],
      aspect_ratio: 1.6,
    },
  ],
  ...more,
})

type Errors = Record<string, string[]>
const refusals: [rule: string, id: OpId, input: () => object, errors: Errors][] = [
  ['required', 'customer.create', () => customer({ customer_name: '' }), { customer_name: ['required'] }],
  ['minimum 2', 'customer.create', () => customer({ customer_name: 'A' }), { customer_name: ['min_length_2'] }],
  ['minimum 6', 'user.create', () => person({ username: 'ada.m' }), { username: ['min_length_6'] }],
  ['e-mail', 'user.create', () => person({ email: 'ada@' }), { email: ['email_invalid'] }],
  [
    'password match',
    'user.create',
    () => person({ confirm_password: 'Lantern!Quay43' }),
    { confirm_password: ['password_mismatch'] },
  ],
  [
    'password strength',
    'user.create',
    () => person({ password: 'Abcdefg1', confirm_password: 'Abcdefg1' }),
    { password: ['password_weak'] },
  ],
  ['phone', 'user.create', () => person({ phone: '0612' }), { phone: ['phone_invalid'] }],
  [
    'leading space',
    'customer.create',
    () => customer({ customer_name: ' Acme' }),
    { customer_name: ['no_leading_space'] },
  ],
  ['name', 'customer.create', () => customer({ customer_name: 'A<b>' }), { customer_name: ['name_characters'] }],
  ['name of a person', 'user.create', () => person({ lastname: 'A<b>' }), { lastname: ['person_characters'] }],
  ['integer', 'nimble.create', () => edge({ wait_between_retry: 0.5 }), { wait_between_retry: ['integer'] }],
  ['greater than', 'nimble.create', () => edge({ wait_between_retry: 0 }), { wait_between_retry: ['greater_than:0'] }],
  [
    '0 to 10000',
    'nimble.create',
    () => edge({ wait_between_retry: 10_001 }),
    { wait_between_retry: ['range_0_10000'] },
  ],
  ['port', 'nimble.create', () => edge({ port: 65_536 }), { port: ['port_invalid'] }],
  ['host name or IP address', 'nimble.create', () => edge({ address: '10.0.0.256' }), { address: ['host_invalid'] }],
  [
    'zip code',
    'customer.create',
    () => customer({ customer_address: { customer_zip: '!' } }),
    { 'customer_address.customer_zip': ['zip_invalid'] },
  ],
  ['time-out', 'nimble.create', () => edge({ connection_timeout: 301 }), { connection_timeout: ['timeout_range'] }],
  ['twelve cameras', 'device.create', () => Array.from({ length: 13 }, () => camera()), { '': ['at_most_12'] }],
  [
    'threshold',
    'channel.create',
    () => analytic({ channel_threshold: 0 }),
    { channel_threshold: ['count_or_disabled'] },
  ],
  ['a zone', 'channel.create', () => analytic({ zones: [] }), { zones: ['zone_required'] }],
  [
    'a completed zone',
    'channel.create',
    () =>
      analytic({
        zones: [
          {
            points: [
              [0, 0],
              [1, 1],
            ],
            aspect_ratio: 1.6,
          },
        ],
      }),
    { 'zones.0.points': ['zone_incomplete'] },
  ],
]

describe('the server refuses with the message ids of the schema that the form checks with', () => {
  test.each(refusals)('%s (%s)', async (_, id, input, errors) => {
    const { status, body } = await root.call(id, input())
    expect([status, body.errors]).toEqual([400, errors])
    const parsed = z.safeParse(rowOf(id).input, input(), { error: issueId })
    expect(parsed.error && fieldErrors(parsed.error)).toEqual(errors)
  })
})

test('what keeps every rule is taken', async () => {
  for (const [id, input] of [
    ['customer.create', customer()],
    ['user.create', person()],
    ['nimble.create', edge()],
    ['device.create', camera()],
    ['channel.create', analytic()],
  ] as const) {
    const { status, body } = await root.call(id, input)
    expect([id, status, body.errors]).toEqual([id, 201, undefined])
  }
})
