import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensurePartitions } from '../event/partitions.ts'
import { Refusal } from '../refusal.ts'
import { testDatabase } from '../testing/database.ts'
import { factories } from '../testing/factories.ts'
import { openDatabase, type Trx } from './database.ts'
import { databaseRoles, fences } from './fence.ts'
import { refusalOf } from './refusal.ts'

const { db, url, close } = await testDatabase()
afterAll(close)

const rows = async <T>(text: string, work = db.owner): Promise<T[]> =>
  (await work((trx: Trx) => sql.raw<T>(text).execute(trx))).rows

/** Tables as they are, without partitions and the migrator's own. */
const tables = (
  await rows<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('migration', 'migration_lock') order by 1`)
).map((row) => row.name)

describe('the schema', () => {
  test('is what the interface says, column by column', async () => {
    const file = fileURLToPath(new URL('./columns.ts', import.meta.url))
    const found = await introspect()
    if (process.env.UPDATE_COLUMNS) fs.writeFileSync(file, found)
    // When it differs, run this test once with UPDATE_COLUMNS=1; the compiler then says what the interface lacks.
    expect(fs.readFileSync(file, 'utf8')).toBe(found)
  })

  async function introspect(): Promise<string> {
    const columns = await rows<{ table: string; column: string; type: string; null: boolean; default: boolean }>(`
      select c.relname as table, a.attname as column, t.typname as type, not a.attnotnull as null,
        a.atthasdef or a.attidentity <> '' as default
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
      where c.relname in (${tables.map((name) => `'${name}'`)}) and c.relnamespace = 'public'::regnamespace
        and a.attnum > 0 and not a.attisdropped order by 1, a.attnum`)
    const types: Record<string, string> = {
      ...{ int2: 'number', int4: 'number', int8: 'number', float4: 'number', float8: 'number', bool: 'boolean' },
      ...{ text: 'string', uuid: 'string', timestamptz: 'Date', bytea: 'Buffer', jsonb: 'json', xid8: 'string' },
      ...{ _text: 'string[]', _float4: 'number[]', _int2: 'number[]', _int4: 'number[]', _int8: 'number[]' },
      ...{ _timestamptz: 'Date[]' },
    }
    const lines = tables.flatMap((table) => [
      `  ${table}: {`,
      ...columns
        .filter((column) => column.table === table)
        .map(
          ({ column, type, ...is }) =>
            `    ${column}: ['${types[type]}', '${is.null ? 'null' : 'not null'}', '${is.default ? 'default' : 'required'}']`,
        ),
      '  }',
    ])
    return [
      '/** Written by `database.test.ts` from the migrated schema. */',
      'export type Columns = {',
      ...lines,
      '}',
      '',
    ].join('\n')
  }

  test('is migrated by one portal when several start at once, and a second time does nothing', async () => {
    const name = `${new URL(url.replace('socket:', 'file:')).searchParams.get('db')}_empty`
    await rows('select 1')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`create database ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`)
    try {
      const empty = url.replace(/db=[^&]*/, `db=${name}`)
      const opened = await Promise.all([1, 2, 3].map(() => openDatabase({ url: empty, dataDir: '' })))
      const again = await openDatabase({ url: empty, dataDir: '' })
      const run = await again.owner((trx) => sql<{ name: string }>`select name from migration`.execute(trx))
      const files = fs.readdirSync(fileURLToPath(new URL('migrations', import.meta.url))).toSorted()
      expect(run.rows.map(({ name }) => `${name}.ts`)).toEqual(files)
      for (const one of [...opened, again]) await one.close()
    } finally {
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    }
  })

  test('of a newer portal is refused', async () => {
    await rows(`insert into migration (name, timestamp) values ('9999_later', '')`)
    await expect(openDatabase({ url, dataDir: '' })).rejects.toThrow(/written by a newer version of the portal/)
    await rows(`delete from migration where name = '9999_later'`)
  })

  test('counts changes by people in version, and not what the system notes', async () => {
    const make = factories(db)
    const user = await make.user('viewer')
    const change = (set: { last_login_at: Date } | { firstname: string }) =>
      db.owner((trx) =>
        trx.updateTable('app_user').set(set).where('id', '=', user.id).returning('version').executeTakeFirstOrThrow(),
      )
    expect(await change({ last_login_at: new Date() })).toEqual({ version: 1 })
    expect(await change({ firstname: 'Other' })).toEqual({ version: 2 })
  })
})

describe('the fence between tenants', () => {
  const ours = 1
  let theirs = 0

  /** Two rows in every table, one of each tenant, whatever they may mean. */
  beforeAll(async () => {
    theirs = (await factories(db).organization()).tenant_id
    const client = new pg.Client(url)
    await client.connect()
    const needed = (
      await client.query<{ table: string; column: string; type: string }>(
        `
      select c.relname as table, a.attname as column, t.typname as type
      from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
      where c.relname = any($1) and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
        and (a.attname = 'id' or a.attnotnull and not (a.atthasdef or a.attidentity <> '')) and a.attgenerated = ''`,
        [tables],
      )
    ).rows
    const checks = await client.query<{ table: string; name: string }>(
      `select conrelid::regclass::text as table, conname as name from pg_constraint where contype = 'c' and conrelid <> 0`,
    )
    for (const { table, name } of checks.rows) await client.query(`alter table ${table} drop constraint ${name}`)
    // Foreign keys rest as well.
    await client.query('set session_replication_role = replica')
    for (const table of tables) {
      const columns = needed.filter((column) => column.table === table)
      for (const tenant of columns.some(({ column }) => column === 'tenant_id') ? [ours, theirs] : []) {
        const values = columns.map(({ column, type }) => {
          if (column === 'tenant_id') return tenant
          if (/^(int|float)/.test(type)) return column === 'id' ? 30_000 + tenant : tenant
          if (type === 'timestamptz') return 'now()'
          if (type === 'xid8') return 'pg_current_xact_id()'
          if (type === 'uuid') return 'gen_random_uuid()'
          if (type === 'bool') return 'true'
          if (type === 'jsonb') return `'{"site_timezone": "UTC"}'`
          if (type.startsWith('_')) return `'{}'`
          return type === 'bytea' ? `'\\x0${tenant}'` : `'${table} ${tenant}'`
        })
        await client.query(
          `insert into ${table} (${columns.map(({ column }) => `"${column}"`)}) values (${values}) on conflict do nothing`,
        )
      }
    }
    await client.end()
  })

  test('every table is behind it', async () => {
    expect(Object.keys(fences).sort()).toEqual(tables)
    const open = await rows(`
      select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not in ('migration', 'migration_lock') and not (relrowsecurity and relforcerowsecurity)`)
    expect(open).toEqual([])
  })

  test.each(tables)('%s: a request sees its own tenant only', async (table) => {
    const columns = await rows<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = '${table}'::regclass and attname = 'tenant_id'`,
    )
    const asUs = <T>(text: string) => rows<T>(text, (work) => db.as({ tenantId: ours }, work))
    if (columns.length === 0) {
      // Dictionaries are the same for everyone; the rest is closed to requests of a tenant.
      const rights = fences[table]!.sl_app
      if (rights === '') await expect(asUs(`select from ${table}`)).rejects.toThrow(/permission denied/)
      else await expect(asUs(`delete from ${table}`)).rejects.toThrow(/permission denied/)
      return
    }
    const [count] = await asUs<{ own: number; others: number }>(
      `select count(*) filter (where tenant_id = ${ours}) as own, count(*) filter (where tenant_id <> ${ours}) as others from ${table}`,
    )
    expect(count!.own).toBeGreaterThan(0)
    expect(count!.others).toBe(0)
    const [all] = await rows<{ tenants: number }>(`select count(distinct tenant_id) as tenants from ${table}`, (work) =>
      db.as({ tenantId: null }, work),
    )
    expect(all!.tenants).toBeGreaterThanOrEqual(2)
    await expect(asUs(`insert into ${table} (tenant_id) values (${theirs})`)).rejects.toThrow(
      /row-level security|permission denied|null value|non-DEFAULT/,
    )
    await expect(asUs(`update ${table} set tenant_id = ${theirs}`)).rejects.toThrow(
      /row-level security|permission denied|generated/,
    )
  })

  test('without a tenant nothing is seen, and partitions cannot be read past it', async () => {
    const [today] = await db.owner(async (trx) => {
      await ensurePartitions(trx, Date.now())
      const { rows } = await sql<{ name: string }>`
        select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event'::regclass limit 1`.execute(
        trx,
      )
      return rows
    })
    const asUs = <T>(text: string) => rows<T>(text, (work) => db.as({ tenantId: ours }, work))
    await expect(asUs(`select from ${today!.name}`)).rejects.toThrow(/permission denied/)
    const unset = await db.as({ tenantId: ours }, async (trx) => {
      await sql`set local app.tenant = ''`.execute(trx)
      return (await sql<{ count: number }>`select count(*) as count from site`.execute(trx)).rows
    })
    expect(unset).toEqual([{ count: 0 }])
  })

  test('a role and a tenant end with their transaction', async () => {
    const seen = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const before = await rows<{ who: string; tenant: string }>(
        `select current_user || ' ' || coalesce(current_setting('app.tenant', true), '') as who`,
        i % 2 === 0 ? (work) => db.as({ tenantId: ours }, work) : db.instance,
      )
      seen.add(before[0]!.who.trim())
    }
    expect([...seen].sort()).toEqual(['sl_app 1', 'sl_super'])
  })

  test('a tenant that is not a number never reaches the server', () => {
    expect(() => db.as({ tenantId: "1'; drop table site; --" as unknown as number }, async () => 0)).toThrow(TypeError)
  })
})

describe('without the right to make roles', () => {
  test('the portal works on its first fence alone, and says so', async () => {
    const admin = new pg.Client(url)
    await admin.connect()
    const name = `plain_${process.pid}`
    await admin.query(`create role ${name} login password 'plain'`)
    await admin.query(
      `create database ${name} owner ${name} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`,
    )
    try {
      const plain = await openDatabase({
        url: url.replace(/db=[^&]*/, `db=${name}`).replace('user=postgres', `user=${name}`),
        dataDir: '',
      })
      expect(await plain.info()).toMatchObject({ row_security: false, embedded: false })
      expect(await plain.as({ tenantId: 1 }, (trx) => trx.selectFrom('organization').select('name').execute())).toEqual(
        [{ name: 'Default' }],
      )
      await plain.close()
    } finally {
      await admin.query(`drop database ${name} with (force)`)
      await admin.query(`drop role ${name}`)
      await admin.end()
    }
  })
})

describe('trouble of the database', () => {
  test('a broken unique rule names its field and message', async () => {
    const make = factories(db)
    await make.customer({ name: 'Café Noir' })
    await expect(
      db.as({ tenantId: 1 }, (trx) =>
        trx.insertInto('customer').values({ tenant_id: 1, uid: crypto.randomUUID(), name: 'CAFÉ NOIR' }).execute(),
      ),
    ).rejects.toMatchObject({ status: 400, errors: { customer_name: ['name_taken'] } })
  })

  test('every unique rule that people can break has such a name, and what the system alone can break is no 500', async () => {
    const names = await rows<{ name: string }>(`
      select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid
      join pg_class t on t.oid = x.indrelid
      where x.indisunique and not x.indisprimary and not i.relispartition
        and t.relnamespace = 'public'::regnamespace and t.relname not like 'migration%' order by 1`)
    // Keys that the portal makes itself: random or counted, or rows of a seed.
    const own =
      /^(\w+_uid(_tenant_id)?_key|\w+_token_hash_tenant_id_key|(bundle|usecase|series|event_source)_.*_key|organization_default)$/
    const words = names.map(({ name }) => name).filter((name) => !own.test(name))
    expect(words.filter((name) => name.split('__').length !== 3)).toEqual([])
    expect(words.map((name) => name.split('__').slice(1).join(' '))).toEqual(
      expect.arrayContaining([
        'customer_name name_taken',
        'is_default default_taken',
        'address address_taken',
        'email email_taken',
        'UUID device_taken',
      ]),
    )
    for (const { name } of names)
      expect(refusalOf(Object.assign(new Error('x'), { code: '23505', constraint: name }))).toBeInstanceOf(Refusal)
  })

  const cases: [string, object, number][] = [
    ['a full disk', { code: '53100' }, 507],
    ['a statement that took too long', { code: '57014' }, 503],
    ['a deadlock', { code: '40P01' }, 503],
    ['a shutdown', { code: '57P01' }, 503],
    ['too many connections', { code: '53300' }, 503],
    ['a refused connection', { code: 'ECONNREFUSED' }, 503],
    ['a connection that broke', { message: 'Connection terminated unexpectedly' }, 503],
    ['something that is still needed', { code: '23503' }, 409],
  ]
  test.each(cases)('%s becomes a refusal', (_, error, status) => {
    expect(refusalOf(Object.assign(new Error('x'), error))).toMatchObject({ status })
  })

  test('a mistake of ours stays what it is', async () => {
    await expect(rows('select nothing')).rejects.toMatchObject({ code: '42703' })
  })

  test('a pooler that drops what a connection begins with is refused: the fence between tenants would fall with it', async () => {
    const { host, port, user, database } = new pg.Client(url)
    const pooler = net.createServer((near) => {
      const far = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host)
      near.on('data', (bytes) => far.write(bytes.toString('latin1').replace('-c role=sl_app', ''.padEnd(14)), 'latin1'))
      far.pipe(near)
      near.on('close', () => far.destroy())
      for (const socket of [near, far]) socket.on('error', () => socket.destroy())
    })
    await once(pooler.listen(0, '127.0.0.1'), 'listening')
    const through = new URL(`postgres://127.0.0.1:${(pooler.address() as net.AddressInfo).port}/${database}`)
    through.username = user ?? ''
    await expect(openDatabase({ url: through.href, dataDir: '' })).rejects.toThrow(/hand on `options`/)
    pooler.close()
  })

  test('a server that cannot be reached is one sentence without the password', async () => {
    const opening = openDatabase({ url: 'postgres://me:secret@127.0.0.1:1/sightline', dataDir: '' })
    await expect(opening).rejects.toThrow(
      /^The database 127\.0\.0\.1:1\/sightline cannot be reached: .* Check DATABASE_URL\.$/,
    )
    await expect(opening).rejects.not.toThrow(/secret/)
  })
})

test('rows that were answered go with the next small collection, and do not wait for one of everything', async () => {
  setFlagsFromString('--expose-gc')
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')
  const ask = async () => {
    await db.read(null, (trx) => sql`select repeat('x', 100) || n as a from generate_series(1, 2000) n`.execute(trx))
    collect({ type: 'minor' })
  }
  for (let i = 0; i < 10; i++) await ask()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < 60; i++) await ask()
  // All of them together take 20.
  expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(6)
})

test('the three roles of requests and ingest are no superusers and own nothing', async () => {
  const found = await rows(`
    select rolname, rolsuper, rolbypassrls, rolcanlogin, exists (select from pg_class where relowner = r.oid) as owns
    from pg_roles r where rolname in (${databaseRoles.map((role) => `'${role}'`)}) order by 1`)
  expect(found).toEqual(
    [...databaseRoles]
      .sort()
      .map((rolname) => ({ rolname, rolsuper: false, rolbypassrls: false, rolcanlogin: false, owns: false })),
  )
})
