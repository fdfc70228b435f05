/** A product in use: people of every role, a customer with a site, a simulated camera and analytics on it. */
import type { Channel, Customer, DemoCamera, Device, EventEntity, Site } from '@sightline/contract'
import { localNimbleId, type Role, roles, type UsecaseKey } from '@sightline/domain'
import type { Browser, Page } from 'playwright-core'
import { type Caller, signIn } from './api.ts'
import { openPage, type Watched } from './browser.ts'
import { type Product, until } from './product.ts'

export const password = 'Lantern!Quay42'
export const usernameOf = (role: Role): string => `the.${role}`

/** Ids by their names in addresses. */
export type Ids = Record<'cuid' | 'sid' | 'did' | 'cid' | 'uid' | 'nid' | 'eid', string>
export type Prepared = { root: Caller; ids: Ids; camera: DemoCamera }

const person = (username: string) => ({
  firstname: 'Test',
  lastname: 'Person',
  email: `${username}@example.org`,
  username,
  password,
  confirm_password: password,
})

/** The first account, with the token of the printed address. */
export async function registerFirst({ origin, firstAddress }: Product): Promise<void> {
  const token = new URL(firstAddress).searchParams.get('token')
  const answer = await fetch(`${origin}/api/v1/user/register`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ ...person(usernameOf('super_admin')), token }),
  })
  if (answer.status !== 201) throw new Error(`the first account: ${answer.status} ${await answer.text()}`)
}

/** @param organization_id that of the caller unless given */
export const addPerson = (root: Caller, username: string, role_key: Role, organization_id?: string) =>
  root.call('user', 'create', { ...person(username), role_key, ...(organization_id && { organization_id }) })

const whole: [number, number][] = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
]
export const analytics = ['pplcnt', 'pplocc', 'intrdtec', 'emptyframecheck'] as const satisfies readonly UsecaseKey[]

/** A simulated camera at a site, with nothing attached to it, in a product whose first account is there. */
export async function prepareCamera({ origin }: Product) {
  const root = await signIn(origin, usernameOf('super_admin'), password)
  const { customer_id } = (await root.call('customer', 'create', { customer_name: 'Acme Logistics' })) as Customer
  const { site_id } = (await root.call('site', 'create', {
    site_name: 'Lyon DC',
    customer_id,
    site_address: { site_timezone: 'Europe/Paris' },
  })) as Site
  const [camera] = (await root.call('demo', 'start', { count: 1 })) as DemoCamera[]
  if (!camera) throw new Error('no simulated camera')
  const { device_id } = (await root.call('device', 'create', {
    device_name: 'Lobby',
    site_id,
    nimble_id: localNimbleId,
    UUID: camera.UUID,
    stream_address: camera.stream_address,
    username: camera.username,
    password: camera.password,
  })) as Device
  return { root, camera, cuid: customer_id, sid: site_id, did: device_id }
}

/** Fills a product whose first account is there; ends when the first event is. */
export async function prepare(product: Product): Promise<Prepared> {
  const { root, camera, cuid, sid, did } = await prepareCamera(product)
  for (const role_key of roles) if (role_key !== 'super_admin') await addPerson(root, usernameOf(role_key), role_key)
  const channels: Channel[] = []
  for (const usecase_key of analytics) channels.push(await attach(root, did, usecase_key))
  const event = await until(
    'the first event arrives',
    async () => ((await root.call('event', 'range', { type: 1, event_limit: 1 } as never)) as EventEntity[])[0],
    90_000,
  )
  const [counting] = channels as [Channel]
  const ids = { cid: counting.channel_id, uid: counting.usecase_id, nid: localNimbleId, eid: event.event_uuid }
  return { root, camera, ids: { cuid, sid, did, ...ids } }
}

/** An analytic that watches the whole picture, named after its use case. */
export async function attach(
  root: Caller,
  device_id: string,
  usecase_key: UsecaseKey,
  more: { channel_name?: string; source_id?: string } = {},
): Promise<Channel> {
  const shape = usecase_key === 'pplocc' ? { kind: 'line' as const, points: whole.slice(0, 2) } : { points: whole }
  return (await root.call('channel', 'create', {
    channel_name: `At ${usecase_key}`,
    device_id,
    usecase_key,
    zones: [{ ...shape, aspect_ratio: 16 / 9 }],
    ...more,
  })) as Channel
}

/** A page on which somebody is signed in; nobody without a name. */
export async function pageOf(
  browser: Browser,
  { origin }: Product,
  username: string | null,
  options: Parameters<typeof openPage>[2] = {},
): Promise<Watched> {
  const watched = await openPage(browser, origin, options)
  if (username) {
    const { cookie } = await signIn(origin, username, password)
    const [name = '', value = ''] = cookie.split('=')
    await watched.context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Lax' }])
  }
  return watched
}

/** The text of the first h1, null while there is none. */
export const titleOf = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.querySelector('h1')?.textContent ?? null)

export const isBusy = async (page: Page): Promise<boolean> => (await page.locator('[aria-busy=true]').count()) > 0
