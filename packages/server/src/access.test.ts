/** Refusals of every operation, made from the table: a new row is tested as soon as `testing/samples.ts` compiles again. */
import type { Op, OpId } from '@sightline/contract'
import { allows, type Role, roles } from '@sightline/domain'
import type { InjectOptions } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type Client, rowOf, type TestApp, testApp } from './testing/app.ts'
import { makeWorld, nowhere, samples, type World } from './testing/samples.ts'

const ids = Object.keys(samples) as OpId[]
const rows = ids.map((id) => [id, rowOf(id)] as const)
const plain = rows.filter(([, row]) => row.kind === undefined)

let t: TestApp
let world: World & { tenantId: number }
const clients = {} as Record<Role, Client>
beforeAll(async () => {
  t = await testApp()
  world = await makeWorld(t.make)
  for (const role of roles) clients[role] = await t.signIn(role)
})
afterAll(() => t.close())

/** A call as the row wants it: uploads multipart, path parameters in the path. */
function call(client: Client, id: OpId, input: object, more: InjectOptions = {}): Promise<Answer> {
  const row = rowOf(id)
  if (row.kind === 'upload')
    return client.send({ method: row.method, url: `/api/v1${row.path}`, ...multipart(input), ...more })
  if (!row.path.includes('{')) return client.call(id, input, more)
  const { id: inPath, ...query } = input as { id: string }
  return client.send({ method: row.method, url: `/api/v1/media/${inPath}?${new URLSearchParams(query)}`, ...more })
}
const boundary = 'x'
const multipart = (fields: object): InjectOptions => ({
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  payload: `${Object.entries({ ...fields, end: undefined })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => {
      const place = `form-data; name="${field}"${field === 'file' ? '; filename="a file"' : ''}`
      return `--${boundary}\r\ncontent-disposition: ${place}\r\n\r\n${value}\r\n`
    })
    .join('')}--${boundary}--\r\n`,
})

test('the samples are all that the table has, and each is accepted as input', () => {
  for (const [id, row] of plain) expect(row.input.safeParse(samples[id](world)).error?.issues, id).toBeUndefined()
})

describe('nobody signed in', () => {
  test.each(rows.filter(([, row]) => row.access !== 'public'))('%s: 401', async (id) => {
    const { status, body } = await call(t.stranger(), id, samples[id](world))
    expect(status).toBe(401)
    expect(body).toMatchObject({ response_code: 401, message: 'Unauthorized: sign in first' })
  })
})

describe('a role below', () => {
  const below = rows.flatMap(([id, row]) =>
    roles.filter((role) => !allows(row.access, role)).map((role) => [id, role] as const),
  )
  test.each(below)('%s by %s: 403, and nothing changed', async (id, role) => {
    const { status, body } = await call(clients[role], id, samples[id](world))
    expect(status).toBe(403)
    expect(body).toMatchObject({ response_code: 403, error_code: 'forbidden' })
  })
})

describe('input', () => {
  // Somebody new for each test: there are more calls here than one person may make in a minute.
  const clientFor = async (row: Op) => (row.access === 'public' ? t.stranger() : t.signIn('super_admin'))

  test.each(rows.filter(([, row]) => row.kind !== 'socket'))('%s with an unknown property: 400', async (id, row) => {
    const { status, body } = await call(await clientFor(row), id, { ...samples[id](world), surprise: '1' })
    expect(status).toBe(400)
    expect(body.errors).toEqual({ surprise: ['unknown_property'] })
  })

  const written = plain.filter(([, row]) => row.method !== 'GET')
  test.each(written)('%s with a malformed body: 400', async (_, row) => {
    const client = await clientFor(row)
    for (const payload of ['{', '[1]', '"x"', '{"__proto__":1}']) {
      const headers = { 'content-type': 'application/json' }
      const { status } = await client.send({ method: row.method, url: `/api/v1${row.path}`, payload, headers })
      expect(status).toBe(400)
    }
  })
})

/** Operations that name something by id. */
const named = rows.filter(([id, row]) => {
  const here = JSON.stringify(samples[id](nowhere()))
  return row.kind !== 'socket' && here !== JSON.stringify(samples[id](nowhere())) && /[0-9a-f]{8}-/.test(here)
})
/**
 * Somebody who does not reach `world` learns nothing from a call that names its ids: either 404, the same to the byte
 * as for ids that nothing has, or a list in which nothing of it stands.
 */
async function learnsNothing(client: Client, id: OpId) {
  const before = await checksum(world.tenantId)
  const real = await call(client, id, samples[id](world))
  const unreal = await call(client, id, samples[id](nowhere()))
  expect(await checksum(world.tenantId)).toBe(before)
  if (real.status === 200) {
    const stated = new Set(JSON.stringify(samples[id](world)).match(uuids))
    const told = (real.text.match(uuids) ?? []).filter((uid) => Object.values(world).includes(uid) && !stated.has(uid))
    expect(told).toEqual([])
    expect(unreal.status).toBe(200)
  } else {
    expect(real.status).toBe(404)
    expect(real.text).toBe(unreal.text)
  }
}

const namedFor = (role: Role) => named.filter(([, row]) => allows(row.access, role))

describe('an admin of another organization learns nothing from', () => {
  let theirs: Client
  beforeAll(async () => {
    theirs = await t.signIn(await t.make.user('admin', {}, await t.make.organization()))
  })
  test.each(namedFor('admin'))('%s', (id) => learnsNothing(theirs, id))
})

describe('a viewer without assignments learns nothing of its own organization from', () => {
  let unassigned: Client
  beforeAll(async () => {
    unassigned = await t.signIn(await t.make.user('viewer', {}, await organizationOf(world)))
  })
  test.each(namedFor('viewer').filter(([id]) => !seenByEverybody.includes(id)))('%s', (id) =>
    learnsNothing(unassigned, id),
  )
})
/** Edge servers, pipelines and pictures not yet in use belong to no site: who is in the organization sees them. */
const seenByEverybody: OpId[] = [
  'nimble.get',
  'nimble.status',
  'nimble.stats',
  'nimble.sync',
  'pipeline.get',
  'pipeline.catalog',
]

describe('the organization itself is reached, so that the refusals above mean something:', () => {
  const readable = namedFor('viewer').filter(([id, row]) => (row.method === 'GET' || row.reads) && !own.includes(id))
  test.each(readable)('%s by its admin and by an assigned viewer', async (id) => {
    const organization = await organizationOf(world)
    const assigned = await t.make.user('viewer', {}, organization)
    await t.services.db.owner((trx) =>
      sql`insert into user_site (tenant_id, user_id, site_id)
        select tenant_id, ${assigned.id}, id from site where uid = ${world.site}`.execute(trx),
    )
    for (const client of [await t.signIn(await t.make.user('admin', {}, organization)), await t.signIn(assigned)])
      expect([200, 503]).toContain((await call(client, id, samples[id](world))).status)
  })
})
/** One's own alone, or without a file behind it. */
const own: OpId[] = ['job.get', 'user.id', 'user.config', 'user.sessions', 'media.get']

const organizationOf = (of: World) =>
  t.services.db.owner((trx) =>
    trx.selectFrom('organization').selectAll().where('uid', '=', of.organization).executeTakeFirstOrThrow(),
  )

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Everything that an organization has, in every table that has organizations; only when people were last seen may change. */
const checksum = (tenantId: number): Promise<string> =>
  t.services.db.owner(async (trx) => {
    const { rows: tables } = await sql<{ name: string }>`
      select c.table_name as name from information_schema.columns c
      where c.table_schema = 'public' and c.column_name = 'tenant_id'
        and not (select relispartition from pg_class where oid = format('public.%I', c.table_name)::regclass)
      order by 1`.execute(trx)
    const sums = []
    for (const { name } of tables) {
      const { rows } = await sql<{ sum: string | null }>`
        select md5(string_agg(row, ',' order by row)) as sum
        from (select (to_jsonb(t) - 'last_seen_at')::text as row from ${sql.table(name)} t
          where t.tenant_id = ${tenantId}) rows`.execute(trx)
      sums.push(`${name} ${rows[0]?.sum}`)
    }
    return sums.join('\n')
  })
