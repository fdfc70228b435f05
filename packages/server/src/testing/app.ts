/** The real app on a database of its own, and people who use it. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api, type Op, type OpId } from '@sightline/contract'
import type { Role } from '@sightline/domain'
import type { FastifyInstance, FastifyServerOptions, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Selectable } from 'kysely'
import { build, createServer, createServices, type Parts } from '../app.ts'
import { openSession } from '../auth/store.ts'
import type { UserTable } from '../db/schema.ts'
import { createDemo } from '../demo/supervisor.ts'
import { type Env, readEnv } from '../env.ts'
import { openSecrets } from '../secrets.ts'
import type { Services } from '../services.ts'
import { testDatabase } from './database.ts'
import { type Factories, factories } from './factories.ts'

export type TestUser = Selectable<UserTable>

export type TestApp = {
  app: FastifyInstance
  services: Services
  make: Factories
  /** Address of the listening server; it listens from the first use on. */
  listen(): Promise<string>
  /** Somebody new with this role in the default organization, or the given one, signed in. */
  signIn(who: Role | TestUser): Promise<Client>
  /** Nobody: a browser without a session. */
  stranger(): Client
  close(): Promise<void>
}

/** Answers of `inject`, with the parsed envelope. */
export type Answer = {
  status: number
  headers: LightMyRequestResponse['headers']
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at answers of every operation
  body: any
  text: string
  bytes: Buffer
}

export type Client = {
  user: TestUser | null
  cookie: string | undefined
  csrf: string | undefined
  /** Calls an operation as the portal's own pages do. */
  call(id: OpId, input?: unknown, more?: InjectOptions): Promise<Answer>
  /** Any request, with the cookie, origin and token that a page of ours would send, unless it says otherwise. */
  send(options: InjectOptions): Promise<Answer>
}

export const testOrigin = 'http://127.0.0.1:8080'

/** Edge servers are configured but not dialled, until the test starts the links. With `beside`, a second portal on the database of that one. */
export async function testApp(
  variables: Record<string, string> = {},
  parts: Parts & { beside?: TestApp } = {},
  logger: FastifyServerOptions['logger'] = { level: process.env.TEST_LOG ?? 'silent' },
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sl-app-'))
  const env: Env = { ...readEnv(variables), dataDir }
  const { db, close: closeDatabase } = parts.beside
    ? { db: parts.beside.services.db, close: async () => undefined }
    : await testDatabase()
  const app = createServer(env, logger)
  if (parts.beside) copyFileSync(join(parts.beside.services.env.dataDir, 'instance.key'), join(dataDir, 'instance.key'))
  const secrets = openSecrets(join(dataDir, 'instance.key'))
  // A channel to nobody: no start command runs this portal.
  const demo = createDemo({ on: () => undefined })
  const services = createServices({ env, db, secrets, log: app.log }, { demo, ...parts })
  await services.wire.start()
  // Pages are answered, whether or not the web app is built here.
  const webRoot = join(dataDir, 'web')
  mkdirSync(webRoot)
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html><title>Sightline</title>')
  await build(app, services, webRoot)
  await app.ready()
  const make = factories(db)
  let address: Promise<string> | undefined
  const origin = async () => env.publicUrl ?? (await address) ?? testOrigin

  const client = (user: TestUser | null, cookie?: string, csrf?: string): Client => {
    const self: Client = {
      user,
      cookie,
      csrf,
      call(id, input = {}, more = {}) {
        const { method, path } = rowOf(id)
        const isQuery = method === 'GET'
        const query = isQuery ? `?${new URLSearchParams(asText(input as Record<string, unknown>))}` : ''
        return self.send({
          method,
          url: env.apiBase + path + (query === '?' ? '' : query),
          ...(isQuery ? {} : { payload: input as object }),
          ...more,
        })
      },
      async send(options) {
        const { headers, ...rest } = options
        const answer = await app.inject({
          ...rest,
          headers: given({
            origin: await origin(),
            cookie: self.cookie,
            'x-csrf-token': self.csrf,
            ...headers,
          }),
        })
        const isJson = String(answer.headers['content-type']).startsWith('application/json')
        const body = isJson ? answer.json() : null
        const set = [answer.headers['set-cookie']].flat().find((value) => value?.includes('sightline='))
        if (set) self.cookie = set.split(';')[0]
        if (body?.response?.csrf_token) self.csrf = body.response.csrf_token
        return { status: answer.statusCode, headers: answer.headers, body, text: answer.body, bytes: answer.rawPayload }
      },
    }
    return self
  }

  return {
    app,
    services,
    make,
    listen: () => (address ??= app.listen({ port: 0, host: '127.0.0.1' })),
    stranger: () => client(null),
    async signIn(who) {
      const user = typeof who === 'string' ? await make.user(who) : who
      const session = await db.instance((trx) =>
        openSession(
          trx,
          { tenantId: user.tenant_id, userId: user.id },
          { ip: '127.0.0.1', userAgent: 'test', method: 'form' },
        ),
      )
      const name = env.publicUrl?.startsWith('https:') ? '__Host-sightline' : 'sightline'
      return client(user, `${name}=${session.token}`, session.csrf)
    },
    async close() {
      await app.close()
      await services.links.stop()
      await services.jobs.stop()
      await services.events.stop()
      await services.wire.stop()
      await closeDatabase()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export const rowOf = (id: OpId): Op => {
  const [feature, name] = id.split('.') as [keyof typeof api, string]
  const row = (api[feature] as Record<string, Op>)[name]
  if (!row) throw new Error(`There is no operation ${id}.`)
  return row
}

/** `undefined` leaves a header out. */
const given = <T extends object>(headers: T) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))

const asText = (input: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, Array.isArray(value) ? value.join(',') : String(value)]),
  )
