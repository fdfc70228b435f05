import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { PortalSays } from '../testing/portal-process.ts'
import { isAlive, killAtOnce, parentOf } from '../testing/processes.ts'
import { type Binaries, installBinaries } from './binaries.ts'
import { type DatabaseOptions, type Db, openDatabase } from './database.ts'
import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from './embedded.ts'
import { DatabaseTrouble } from './trouble.ts'

const isRoot = process.getuid?.() === 0
const portalProcess = fileURLToPath(new URL('../testing/portal-process.ts', import.meta.url))
let home: string
let binaries: Binaries
const servers: Pick<EmbeddedServer, 'stop'>[] = []
const children: ChildProcess[] = []

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'sl-db-'))
  fs.chmodSync(home, 0o755)
  binaries = installBinaries(path.join(home, 'bin'))
  await (await startEmbedded({ dataDir: path.join(home, 'pristine'), binaries })).stop()
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const server of servers.splice(0)) await server.stop()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

let count = 0
const folder = (name = 'data') => path.join(home, `${++count}`, name)

/** A fresh cluster as a start makes it, only faster. */
function cluster(): string {
  const dataDir = folder()
  fs.mkdirSync(dataDir, { recursive: true })
  spawnSync('cp', ['-a', path.join(home, 'pristine/postgres'), dataDir])
  return dataDir
}

async function start(dataDir: string, more: Partial<EmbeddedOptions> = {}): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir, binaries, ...more })
  servers.push(server)
  return server
}
async function open(dataDir: string, more: Partial<DatabaseOptions> = {}): Promise<Db> {
  const db = await openDatabase({ dataDir, binaries, ...more })
  servers.push({ stop: () => db.close() })
  return db
}

/** A portal of its own process on this folder, ready. */
async function portal(dataDir: string, identity: { uid?: number; gid?: number } = {}): Promise<ChildProcess> {
  const child = fork(portalProcess, [dataDir, binaries.bin], {
    ...identity,
    execPath: process.execPath,
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.push(child)
  const [said] = (await once(child, 'message')) as [PortalSays]
  if (!('ready' in said)) throw new Error(JSON.stringify(said))
  return child
}

async function query<T extends pg.QueryResultRow>({ connection }: EmbeddedServer, text: string): Promise<T[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}
const trouble = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('it started')
    },
    (error: unknown) => {
      expect(error).toBeInstanceOf(DatabaseTrouble)
      return (error as Error).message
    },
  )
const postmasterOf = (dataDir: string) =>
  Number(fs.readFileSync(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0])
async function until(what: string, condition: () => boolean | Promise<boolean>) {
  for (const end = Date.now() + 20_000; Date.now() < end; await wait(20)) if (await condition()) return
  throw new Error(`never: ${what}`)
}
describe('a start', () => {
  test('makes a cluster that syncs to disk, listens on no network, and lets in only its own user and root', async () => {
    const dataDir = folder()
    const server = await start(dataDir)
    expect(server.adopted).toBe(false)
    const [settings] = await query(
      server,
      `select current_setting('fsync') fsync, current_setting('synchronous_commit') commit, current_setting('listen_addresses') listen,
        current_setting('server_encoding') encoding, current_setting('TimeZone') zone`,
    )
    expect(settings).toEqual({ fsync: 'on', commit: 'on', listen: '', encoding: 'UTF8', zone: 'UTC' })
    const { mode, uid } = fs.statSync(server.connection.host)
    expect(mode & 0o777).toBe(0o700)
    expect(fs.statSync(path.join(dataDir, 'postgres/data')).mode & 0o777).toBe(0o700)
    expect(uid === 0).toBe(false)
  })

  test('copies the programs with their links, once', () => {
    const copied = fs.readdirSync(path.join(home, 'bin'))
    expect(copied).toEqual([expect.stringMatching(/^18\./)])
    const before = fs.statSync(binaries.bin).ctimeMs
    installBinaries(path.join(home, 'bin'))
    expect(fs.statSync(binaries.bin).ctimeMs).toBe(before)
  })

  test('finds everything again after a stop, in a moment', async () => {
    const dataDir = cluster()
    const first = await start(dataDir)
    await query(first, 'create table kept as select 42 as answer')
    await first.stop()
    expect(isAlive(first.pid())).toBe(false)
    const again = await start(dataDir)
    expect(again.adopted).toBe(false)
    expect(await query(again, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('works in a folder whose path is too long for a socket', async () => {
    const server = await start(folder('d'.repeat(120)))
    expect(server.connection.host.length).toBeLessThan(60)
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test.runIf(isRoot)('works as root in a folder that only root can enter', async () => {
    const closed = folder()
    fs.mkdirSync(closed, { recursive: true, mode: 0o700 })
    const dataDir = path.join(closed, 'data')
    const server = await start(dataDir, { elsewhere: path.join(home, 'elsewhere') })
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(fs.realpathSync(path.join(dataDir, 'postgres'))).toContain('elsewhere')
    expect(fs.statSync(closed).mode & 0o777).toBe(0o700)
    await server.stop()
    const again = await start(dataDir, { elsewhere: path.join(home, 'elsewhere') })
    expect(await query(again, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test.runIf(isRoot)('works as an ordinary user, and says what is wrong in a folder of somebody else', async () => {
    const nobody = { uid: 65534, gid: 65534 }
    const canRun = spawnSync(process.execPath, [portalProcess, '/nowhere'], { ...nobody, cwd: '/', encoding: 'utf8' })
    if (/EACCES|MODULE_NOT_FOUND/.test(canRun.stderr ?? '') || canRun.error)
      return console.log('skipped: another user cannot read this checkout')
    const dataDir = folder()
    fs.mkdirSync(dataDir, { recursive: true })
    await expect(portal(dataDir, nobody)).rejects.toThrow(/cannot be written/)
    fs.chownSync(dataDir, nobody.uid, nobody.gid)
    const child = await portal(dataDir, nobody)
    expect(fs.statSync(`/proc/${postmasterOf(dataDir)}`).uid).toBe(nobody.uid)
    child.kill('SIGTERM')
    await once(child, 'exit')
    // Root goes on as the owner of the cluster.
    const server = await start(dataDir)
    expect(fs.statSync(`/proc/${server.pid()}`).uid).toBe(nobody.uid)
  })

  test('is refused while another portal works on the folder, which goes on undisturbed', async () => {
    const dataDir = cluster()
    const child = await portal(dataDir)
    const server = postmasterOf(dataDir)
    expect(await trouble(startEmbedded({ dataDir, binaries }))).toBe(
      `Another portal (process ${child.pid}) already runs on ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
    )
    expect(isAlive(server)).toBe(true)
  })
})

describe('what a killed portal leaves behind', () => {
  test('is taken over with everything in it, and ends with the new portal', async () => {
    const dataDir = cluster()
    const child = await portal(dataDir)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const orphan = postmasterOf(dataDir)
    expect(isAlive(orphan)).toBe(true)
    const server = await start(dataDir)
    expect(server).toMatchObject({ adopted: true })
    expect(server.pid()).toBe(orphan)
    expect(await query(server, 'select count(*)::int as organizations from organization')).toEqual([
      { organizations: 1 },
    ])
    await server.stop()
    expect(isAlive(orphan)).toBe(false)
  })

  test('does not stand in the way when its process number now belongs to another program', async () => {
    const dataDir = cluster()
    const first = await start(dataDir)
    const lock = path.join(dataDir, 'postgres/data/postmaster.pid')
    const text = fs.readFileSync(lock, 'utf8')
    await first.stop()
    fs.writeFileSync(lock, text.replace(/^\d+/, String(process.pid)))
    const server = await start(dataDir)
    expect(server.adopted).toBe(false)
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('a server that was killed comes back by itself; meanwhile requests are told to wait', async () => {
    const said: string[] = []
    const db = await open(cluster(), { log: (sentence) => said.push(sentence) })
    const ask = () => db.as({ tenantId: 1 }, (trx) => trx.selectFrom('organization').select('name').execute())
    expect(await ask()).toEqual([{ name: 'Default' }])
    const { rows } = await db.owner((trx) => sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx))
    killAtOnce(parentOf(rows[0]!.pid))
    await expect(ask()).rejects.toMatchObject({ status: 503, code: 'database_unavailable' })
    await until('the database answers again', () =>
      ask().then(
        () => true,
        () => false,
      ),
    )
    // The server takes connections a moment before its start is known here.
    await until('the log tells', () => said.includes('The database server is running again'))
    expect(said).toEqual([
      'The database server ended unexpectedly; starting it again',
      ...said.slice(1, -1).map(() => expect.stringMatching(/^The database server does not start: /)),
      'The database server is running again',
    ])
  })
})

describe('a folder that cannot be used says why', () => {
  test('not a database', async () => {
    const dataDir = folder()
    fs.mkdirSync(path.join(dataDir, 'postgres/data'), { recursive: true })
    if (isRoot) fs.chownSync(path.join(dataDir, 'postgres/data'), 65534, 65534)
    fs.writeFileSync(path.join(dataDir, 'postgres/data/file'), '')
    expect(await trouble(startEmbedded({ dataDir, binaries }))).toMatch(
      /is not a database, or a damaged one\. Move it away/,
    )
  })

  test('another major version', async () => {
    const dataDir = cluster()
    const server = await start(dataDir)
    await server.stop()
    fs.writeFileSync(path.join(dataDir, 'postgres/data/PG_VERSION'), '14\n')
    expect(await trouble(startEmbedded({ dataDir, binaries }))).toMatch(
      /was written by PostgreSQL 14, this portal brings PostgreSQL 18\. Start the portal version that wrote it/,
    )
  })

  test.each(['global/pg_control', 'pg_wal', 'global'])('damaged: %s is gone', async (part) => {
    const dataDir = cluster()
    const server = await start(dataDir)
    await server.stop()
    fs.rmSync(path.join(dataDir, 'postgres/data', part), { recursive: true })
    expect(await trouble(startEmbedded({ dataDir, binaries }))).toMatch(
      /is damaged\. Restore it from a backup into a new DATA_DIR\. The server said: /,
    )
  })

  test('no disk space', async () => {
    const dataDir = folder()
    fs.mkdirSync(dataDir, { recursive: true })
    if (!mountSmall(dataDir, '12m')) return console.log('skipped: a small file system cannot be mounted here')
    try {
      expect(await trouble(startEmbedded({ dataDir, binaries }))).toMatch(/^The disk of .* is full\. Free some space/)
      expect(await trouble(startEmbedded({ dataDir }))).toMatch(/^The disk of .* is full\. Free some space/)
    } finally {
      spawnSync('umount', ['-l', dataDir])
    }
  })
})

const mountSmall = (at: string, size: string) =>
  isRoot && spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', at]).status === 0

describe('a disk that fills up while the portal runs', () => {
  test('refuses writes in words, loses nothing, and goes on when there is space again', async () => {
    const dataDir = folder()
    fs.mkdirSync(dataDir, { recursive: true })
    if (!mountSmall(dataDir, '160m')) return console.log('skipped: a small file system cannot be mounted here')
    try {
      const db = await open(dataDir)
      const insert = (name: string) =>
        db.instance((trx) =>
          trx
            .insertInto('customer')
            .values({ tenant_id: 1, uid: crypto.randomUUID(), name, description: name.padEnd(2000, 'x') })
            .execute(),
        )
      await insert('before')
      const ballast = path.join(dataDir, 'ballast')
      fs.closeSync(fs.openSync(ballast, 'w'))
      const acknowledged: string[] = ['before']
      let refused: unknown
      for (let i = 0; i < 20_000 && !refused; i++) {
        if (i === 20) fillUp(ballast)
        await insert(`customer ${i}`).then(
          () => acknowledged.push(`customer ${i}`),
          (error: unknown) => {
            refused = error
          },
        )
      }
      expect(refused).toMatchObject({ status: expect.toSatisfy((status: number) => [503, 507].includes(status)) })
      fs.rmSync(ballast)
      await until('writes are taken again', () =>
        insert('after').then(
          () => true,
          () => false,
        ),
      )
      const names = await db.instance((trx) => trx.selectFrom('customer').select('name').execute())
      expect(names.map((row) => row.name)).toEqual(expect.arrayContaining([...acknowledged, 'after']))
      await servers.pop()!.stop()
    } finally {
      spawnSync('umount', ['-l', dataDir])
    }
  })

  test('stops the server when not even its log can be written; it says so, and goes on when there is space again', async () => {
    const dataDir = cluster()
    const log = path.join(dataDir, 'postgres/data/pg_wal')
    const { uid, gid } = fs.statSync(log)
    fs.renameSync(log, `${log}.before`)
    fs.mkdirSync(log)
    if (!mountSmall(log, '40m')) return console.log('skipped: a small file system cannot be mounted here')
    try {
      spawnSync('cp', ['-a', `${log}.before/.`, log])
      fs.chownSync(log, uid, gid)
      fs.chmodSync(log, 0o700)
      const said: string[] = []
      const { connection } = await start(dataDir, { log: (sentence) => void said.push(sentence) })
      const write = async (count: number) => {
        const client = new pg.Client(connection)
        client.on('error', () => undefined)
        await client.connect()
        try {
          // The same row again and again: only the log grows.
          for (let i = 0; i < count; i++)
            await client.query(`update kept set number = number + 1, text = repeat(md5($1), 60)`, [String(i)])
          return (await client.query('select number from kept')).rows[0].number as number
        } finally {
          await client.end().catch(() => undefined)
        }
      }
      const setup = new pg.Client(connection)
      await setup.connect()
      await setup.query(`create table kept as select 0 as number, ''::text as text`)
      await setup.end()
      expect(await write(100)).toBe(100)
      const ballast = path.join(log, 'ballast')
      fs.closeSync(fs.openSync(ballast, 'w'))
      fillUp(ballast)
      await expect(write(100_000)).rejects.toThrow()
      await until('the portal says why', async () =>
        said.some((line) => /The disk of .* is full\. Free some space/.test(line)),
      )
      fs.rmSync(ballast)
      await until('writes are taken again', () =>
        write(1).then(
          (number) => number > 100,
          () => false,
        ),
      )
      await until('the portal says so', async () => said.at(-1) === 'The database server is running again')
      await servers.pop()!.stop()
    } finally {
      spawnSync('umount', ['-l', log])
    }
  })
})

/** Until not a byte is left. */
function fillUp(file: string) {
  const block = Buffer.alloc(1 << 20)
  for (const size of [1 << 20, 4096, 1]) {
    try {
      for (;;) fs.appendFileSync(file, block.subarray(0, size))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}
