/** Licence keys that count on this instance: signed with its own key, which lies sealed in its database. */
import { createPrivateKey } from 'node:crypto'
import { type BundleKey, bundleKeys } from '@sightline/domain'
import pg from 'pg'
import * as z from 'zod'
import type { Secrets } from '../secrets.ts'
import { newUid } from '../uid.ts'
import { signLicense } from './key.ts'

/** `bundles` null: all of them. `instance` null: it counts wherever its signature does. */
export type Order = {
  customer: string
  channels: number
  bundles: BundleKey[] | null
  instance: string | null
  from: Date | null
  until: Date | null
}

/** A value on the command line that cannot be used; the message says which and what may stand there. */
export class OrderFault extends Error {}

/** What is wrong with the times of an order, as a message id; null when nothing is. */
export function orderFault({ from, until }: Pick<Order, 'from' | 'until'>, now: Date): string | null {
  if (until === null) return null
  if (until <= now) return 'license_expired'
  return from !== null && from >= until ? 'end_before_start' : null
}

/** Options of the command line. */
export type OrderOptions = Partial<Record<'customer' | 'channels' | 'bundles' | 'instance' | 'from' | 'until', string>>

/** @param now keys that end before it are of no use @throws OrderFault */
export function readOrder(options: OrderOptions, now: Date): Order {
  const { customer = '', channels = '', bundles, instance = null } = options
  if (customer.trim() === '') throw new OrderFault('--customer is missing: for whom the licence is made.')
  if (customer.length > 255) throw new OrderFault('--customer has more than 255 characters.')
  if (!/^\d{1,7}$/.test(channels) || Number(channels) < 1 || Number(channels) > 1_000_000)
    throw new OrderFault('--channels must be a whole number from 1 to 1000000: how many analytics may run.')
  if (instance !== null && !z.uuid().safeParse(instance).success)
    throw new OrderFault('--instance must be the instance_id of a portal, as its /api/v1/instance/info says.')
  const from = readDay('--from', options.from, 'T00:00:00Z')
  const until = readDay('--until', options.until, 'T23:59:59Z')
  const fault = orderFault({ from, until }, now)
  if (fault === 'license_expired') throw new OrderFault(`--until ${options.until} is over.`)
  if (fault) throw new OrderFault('--from must lie before --until.')
  return { customer, channels: Number(channels), bundles: readBundles(bundles), instance, from, until }
}

function readBundles(text: string | undefined): BundleKey[] | null {
  if (text === undefined) return null
  const named = text.split(',').map((part) => part.trim())
  if (named.some((key) => !bundleKeys.includes(key as BundleKey)))
    throw new OrderFault(
      `--bundles must name some of ${bundleKeys.join(', ')}, with commas between, or be left out for all.`,
    )
  return [...new Set(named as BundleKey[])]
}

function readDay(option: string, text: string | undefined, time: string): Date | null {
  if (text === undefined) return null
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(text + time) : new Date(Number.NaN)
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new OrderFault(`${option} must be a day such as 2030-12-31, or be left out.`)
  return day
}

/** The instance's own key pair; the private one sealed. */
type InstanceKeys = { uid: string; link_private_key: string | null; link_public_key: string | null }

/** @throws OrderFault when the instance has no key yet */
export function signOrder(instance: InstanceKeys | undefined, secrets: Pick<Secrets, 'open'>, order: Order): string {
  if (!instance?.link_private_key) throw new OrderFault('This instance has no key yet: start the portal once.')
  const place = { table: 'instance', column: 'link_private_key', row: instance.uid }
  const key = Buffer.from(secrets.open(instance.link_private_key, place), 'base64')
  return signLicense(createPrivateKey({ key, format: 'der', type: 'pkcs8' }), {
    channels: order.channels,
    customer: order.customer,
    bundles: order.bundles,
    instance: order.instance,
    from: order.from?.toISOString() ?? null,
    until: order.until?.toISOString() ?? null,
    issuer: instance.link_public_key ?? '',
    serial: newUid(),
  })
}

/** @throws OrderFault when the instance has no key yet */
export async function issueLicense(
  connection: pg.ClientConfig,
  secrets: Pick<Secrets, 'open'>,
  order: Order,
): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query('select uid, link_private_key, link_public_key from instance')
    return signOrder(rows[0] as InstanceKeys | undefined, secrets, order)
  } finally {
    await client.end()
  }
}
