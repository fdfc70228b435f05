import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { tags } from './field.ts'
import { api, channelDraft, customerDraft, nimbleDraft, registration, userDraft, zoneDraft } from './index.ts'
import { fieldErrors, issueId } from './issue.ts'

/** What forms show and the server answers about one field; empty when it is accepted. */
const errorsOf = (schema: z.ZodType, value: unknown, field: string): readonly string[] => {
  const parsed = z.safeParse(schema, value, { error: issueId })
  return parsed.success ? [] : (fieldErrors(parsed.error)[field] ?? [])
}

const uuid = '01890000-0000-7000-8000-000000000000'
const person = {
  firstname: 'Ada',
  lastname: 'Martin',
  email: 'ada@example.org',
  username: 'ada.martin',
  password: 'Lantern!Quay42',
  confirm_password: 'Lantern!Quay42',
}
const camera = { device_name: 'Gate', site_id: uuid, nimble_id: uuid, stream_address: 'rtsp://10.0.0.7/main' }
const edge = { name: 'Rack', address: '10.0.0.7', port: 8090, license_id: uuid }
const triangle = [
  [0, 0],
  [1, 0],
  [1, 1],
]
const analytic = {
  channel_name: 'Lobby',
  device_id: uuid,
  usecase_key: 'pplcnt',
  zones: [{ points: triangle, aspect_ratio: 1.6 }],
}

type Rule = {
  schema: z.ZodType
  base: object
  field: string
  good: readonly unknown[]
  bad: readonly (readonly [value: unknown, id: string])[]
}
const rules: [name: string, rule: Rule][] = [
  [
    'a required field is filled',
    {
      schema: customerDraft,
      base: {},
      field: 'customer_name',
      good: ['Ab'],
      bad: [
        ['', 'required'],
        [undefined, 'required'],
      ],
    },
  ],
  [
    'a name of a thing has 2 characters or more',
    { schema: customerDraft, base: {}, field: 'customer_name', good: ['Ab', 'é2'], bad: [['A', 'min_length_2']] },
  ],
  [
    'a user name has 6 characters or more',
    { schema: registration, base: person, field: 'username', good: ['ada.ma'], bad: [['ada.m', 'min_length_6']] },
  ],
  [
    'an e-mail address is one',
    {
      schema: registration,
      base: person,
      field: 'email',
      good: ['ada@example.org', 'a.b+c@sub.example.co'],
      bad: [
        ['ada', 'email_invalid'],
        ['ada@', 'email_invalid'],
        ['ada@example', 'email_invalid'],
        ['a b@example.org', 'email_invalid'],
      ],
    },
  ],
  [
    'the password is repeated alike',
    {
      schema: registration,
      base: person,
      field: 'confirm_password',
      good: [person.password],
      bad: [
        ['Lantern!Quay43', 'password_mismatch'],
        [`${person.password} `, 'password_mismatch'],
      ],
    },
  ],
  [
    'a password has 8 characters, a special one and a number',
    {
      schema: z.object({ password: registration.shape.password }),
      base: {},
      field: 'password',
      good: ['Abcde-1f', 'pass wörd 1!'],
      bad: [
        ['Abcd-1f', 'password_weak'],
        ['Abcdefg1', 'password_weak'],
        ['Abcdefg-', 'password_weak'],
        ['Abcdef 1', 'password_weak'],
      ],
    },
  ],
  [
    'a phone number is one with its country',
    {
      schema: userDraft,
      base: person,
      field: 'phone',
      good: ['+33 6 12 34 56 78', '+1 (514) 555-0199', null],
      bad: [
        ['0612345678', 'phone_invalid'],
        ['+33 six', 'phone_invalid'],
        ['+1234567890123456', 'phone_invalid'],
      ],
    },
  ],
  [
    'text begins with no space, and loses those at its end',
    {
      schema: customerDraft,
      base: {},
      field: 'customer_name',
      good: ['Acme ', 'Acme Logistics'],
      bad: [
        [' Acme', 'no_leading_space'],
        ['\tAcme', 'no_leading_space'],
      ],
    },
  ],
  [
    'a name of a thing has letters of any script, digits, space, hyphen, underscore',
    {
      schema: customerDraft,
      base: {},
      field: 'customer_name',
      good: ['Entrée Nord', '東京 2', 'a-b_c 1', 'Αθήνα'],
      bad: ["O'Neil", 'Gate <1>', 'a/b', 'a;b', 'a.b', 'x\u0000y', '🚪🚪'].map((name) => [name, 'name_characters']),
    },
  ],
  [
    'a name of a person also has apostrophe and full stop',
    {
      schema: registration,
      base: person,
      field: 'lastname',
      good: ["O'Neil", 'Martin Jr.', 'D’Arc'],
      bad: [
        ['<b>', 'person_characters'],
        ['a@b', 'person_characters'],
      ],
    },
  ],
  [
    'a whole number has no decimals',
    {
      schema: nimbleDraft,
      base: edge,
      field: 'wait_between_retry',
      good: [1, 10],
      bad: [
        [0.5, 'integer'],
        ['ten', 'integer'],
        ['', 'integer'],
      ],
    },
  ],
  [
    'a wait is greater than 0',
    {
      schema: nimbleDraft,
      base: edge,
      field: 'wait_between_retry',
      good: [1],
      bad: [
        [0, 'greater_than:0'],
        [-3, 'greater_than:0'],
      ],
    },
  ],
  [
    'a value lies between 0 and 10000',
    {
      schema: nimbleDraft,
      base: edge,
      field: 'wait_between_retry',
      good: [10_000],
      bad: [[10_001, 'range_0_10000']],
    },
  ],
  [
    'a port lies between 1 and 65535',
    {
      schema: nimbleDraft,
      base: edge,
      field: 'port',
      good: [1, 65_535],
      bad: [
        [0, 'port_invalid'],
        [65_536, 'port_invalid'],
        [80.5, 'integer'],
      ],
    },
  ],
  [
    'a zip code has 3 to 10 letters, digits, spaces, hyphens, or is left empty',
    {
      schema: customerDraft.shape.customer_address,
      base: {},
      field: 'customer_zip',
      good: ['', '69002', 'H2X 1Y4', 'SW1A 1AA', '12345-6789'],
      bad: [
        ['!', 'zip_invalid'],
        ['12', 'zip_invalid'],
        ['75_001', 'zip_invalid'],
      ],
    },
  ],
  [
    'an address is a host name or an IP address',
    {
      schema: nimbleDraft,
      base: edge,
      field: 'address',
      good: ['edge-1.example.org', 'edge', '10.0.0.7', '2001:db8::7', '::ffff:10.0.0.7'],
      bad: ['not a host', '10.0.0.256', '1.2.3', '010.0.0.7', '2001:db8::7::1', '-edge', 'http://edge', 'edge/x'].map(
        (host) => [host, 'host_invalid'],
      ),
    },
  ],
  [
    'a time-out lies between 60 and 300 s inclusive',
    {
      schema: nimbleDraft,
      base: edge,
      field: 'connection_timeout',
      good: [60, 300],
      bad: [
        [59, 'timeout_range'],
        [301, 'timeout_range'],
      ],
    },
  ],
  [
    'a threshold counts from 1, or is −1',
    {
      schema: channelDraft,
      base: analytic,
      field: 'channel_threshold',
      good: [-1, 1, 10_000],
      bad: [
        [0, 'count_or_disabled'],
        [-2, 'count_or_disabled'],
        [10_001, 'count_or_disabled'],
        [1.5, 'integer'],
      ],
    },
  ],
  [
    'at least one zone is drawn',
    {
      schema: channelDraft,
      base: analytic,
      field: 'zones',
      good: [analytic.zones],
      bad: [
        [[], 'zone_required'],
        [[{ ...analytic.zones[0], kind: 'mask' }], 'zone_required'],
      ],
    },
  ],
  [
    'a zone is completed: three corners, an outline that does not cross itself, inside the picture',
    {
      schema: zoneDraft,
      base: { aspect_ratio: 1.6 },
      field: 'points',
      good: [triangle],
      bad: [
        [[], 'zone_incomplete'],
        [triangle.slice(0, 2), 'zone_incomplete'],
        [
          [
            [0, 0],
            [1, 0.9],
            [1, 0],
            [0, 0.5],
          ],
          'zone_self_crossing',
        ],
      ],
    },
  ],
]

describe.each(rules)('%s', (_, { schema, base, field, good, bad }) => {
  test.each(good.map((value) => [JSON.stringify(value), value]))('%s is accepted', (_text, value) => {
    expect(errorsOf(schema, { ...base, [field]: value }, field)).toEqual([])
  })
  test.each(bad.map(([value, id]) => [JSON.stringify(value), id, value] as const))('%s is %s', (_text, id, value) => {
    expect(errorsOf(schema, { ...base, [field]: value }, field)).toEqual([id])
  })
})

test('at most 12 cameras come at once', () => {
  const { input } = api.device.create
  expect(errorsOf(input, Array(12).fill(camera), '')).toEqual([])
  expect(errorsOf(input, Array(13).fill(camera), '')).toEqual(['at_most_12'])
})

test('a camera, an edge server, a person and an analytic that keep every rule are accepted', () => {
  for (const [schema, value] of [
    [api.device.create.input, camera],
    [nimbleDraft, edge],
    [registration, person],
    [userDraft, person],
    [channelDraft, analytic],
    [customerDraft, { customer_name: 'Acme' }],
  ] as const)
    expect(z.safeParse(schema, value, { error: issueId }).error?.issues ?? []).toEqual([])
})

test('a tag may be one character on either side, of those a name may have', () => {
  expect(z.safeParse(tags, { floor: '2', a: 'x'.repeat(64) }).success).toBe(true)
  expect(z.safeParse(tags, { floor: '' }).success).toBe(false)
  expect(z.safeParse(tags, { floor: '<b>' }).success).toBe(false)
  expect(z.safeParse(tags, { floor: 'x'.repeat(65) }).success).toBe(false)
})
