import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../db/database.ts'
import { type EmbeddedServer, startEmbedded } from '../db/embedded.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Socket on which a test file asks for the database server. */
    databaseSocket: string
  }
}

const prefix = 'sl-test-'
/** Speed instead of safety: these servers are thrown away. */
const settings = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'max_connections=200']

/**
 * vitest's global set-up: one database server for the whole run, started when the first test file asks for it.
 * TEST_DATABASE_URL: use that server instead. TEST_POSTGRES_BIN: start the server of that folder, e.g.
 * `/usr/lib/postgresql/15/bin`, instead of the one from npm.
 */
export default async function setup(project: TestProject) {
  removeLeftovers()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `${prefix}${process.pid}-`))
  fs.chmodSync(folder, 0o755)
  let server: EmbeddedServer | undefined
  let template: Promise<string> | undefined

  const start = async (): Promise<string> => {
    let admin = process.env.TEST_DATABASE_URL
    if (!admin) {
      server = await startEmbedded({ dataDir: folder, settings, ...otherRelease() })
      admin = `socket:${server.connection.host}?db=postgres&user=postgres`
    }
    await makeTemplate(admin)
    return admin
  }
  const listener = net.createServer((socket) => {
    socket.on('error', () => undefined)
    template ??= start()
    template.then(
      (admin) => socket.end(admin),
      (error: unknown) => socket.end(`error:${error instanceof Error ? error.message : String(error)}`),
    )
  })
  const at = path.join(folder, 'ask')
  await new Promise<void>((resolve) => listener.listen(at, resolve))
  project.provide('databaseSocket', at)

  return async () => {
    listener.close()
    await template?.catch(() => undefined)
    await server?.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function otherRelease() {
  const bin = process.env.TEST_POSTGRES_BIN
  if (!bin) return {}
  const major = /\/(\d+)\//.exec(bin)?.[1]
  if (!major) throw new Error(`TEST_POSTGRES_BIN (${bin}) has no version number in its path`)
  return { binaries: { bin, major } }
}

/** The migrated and seeded database that each test file gets a copy of. */
async function makeTemplate(admin: string) {
  const { default: pg } = await import('pg')
  const client = new pg.Client(admin)
  await client.connect()
  await client.query(`drop database if exists ${templateName}`)
  await client.query(`create database ${templateName} template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'`)
  await client.end()
  const db = await openDatabase({ url: databaseUrl(admin, templateName), dataDir: '' })
  await db.close()
}

export const templateName = `sightline_template`

/** The same server, another database. */
export function databaseUrl(admin: string, name: string): string {
  if (admin.startsWith('socket:')) return admin.replace(/db=[^&]*/, `db=${name}`)
  const url = new URL(admin)
  url.pathname = `/${name}`
  return url.href
}

/** Servers and folders of runs that were killed. */
function removeLeftovers() {
  for (const name of fs.readdirSync(os.tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (!pid || fs.existsSync(`/proc/${pid}`) || process.platform !== 'linux') continue
    const folder = path.join(os.tmpdir(), name)
    const lock = path.join(folder, 'postgres/data/postmaster.pid')
    const server = fs.existsSync(lock) ? Number(fs.readFileSync(lock, 'utf8').split('\n')[0]) : 0
    const command =
      server > 0 && fs.existsSync(`/proc/${server}`) ? fs.readFileSync(`/proc/${server}/cmdline`, 'utf8') : ''
    if (command.includes(folder)) process.kill(server, 'SIGQUIT')
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
