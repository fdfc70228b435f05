/** Licence keys that count on this instance: signed with its own key, which lies sealed in its database. */
import { createPrivateKey } from 'node:crypto'
import pg from 'pg'
import type { Secrets } from '../secrets.ts'
import { newUid } from '../uid.ts'
import { signLicense } from './key.ts'

export type Order = { customer: string; channels: number; expires: Date | null }

/** A value on the command line that cannot be used; the message says which and what may stand there. */
export class OrderFault extends Error {}

/** @param now keys that end before it are of no use @throws OrderFault */
export function readOrder(values: { customer?: string; channels?: string; expires?: string }, now: Date): Order {
  const { customer = '', channels = '', expires } = values
  if (customer.trim() === '') throw new OrderFault('--customer is missing: for whom the licence is made.')
  if (customer.length > 255) throw new OrderFault('--customer has more than 255 characters.')
  if (!/^\d{1,7}$/.test(channels) || Number(channels) < 1 || Number(channels) > 1_000_000)
    throw new OrderFault('--channels must be a whole number from 1 to 1000000: how many analytics may run.')
  if (expires === undefined) return { customer, channels: Number(channels), expires: null }
  const end = /^\d{4}-\d{2}-\d{2}$/.test(expires) ? new Date(`${expires}T23:59:59Z`) : new Date(Number.NaN)
  if (Number.isNaN(end.getTime()) || end.toISOString().slice(0, 10) !== expires)
    throw new OrderFault('--expires must be a day such as 2030-12-31, or be left out for a licence without an end.')
  if (end <= now) throw new OrderFault(`--expires ${expires} is over.`)
  return { customer, channels: Number(channels), expires: end }
}

/** @throws OrderFault when the instance has no key yet */
export async function issueLicense(
  connection: pg.ClientConfig,
  secrets: Pick<Secrets, 'open'>,
  { customer, channels, expires }: Order,
): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    const { rows } = await client.query('select uid, link_private_key from instance')
    const [instance] = rows as { uid: string; link_private_key: string | null }[]
    if (!instance?.link_private_key) throw new OrderFault('This instance has no key yet: start the portal once.')
    const place = { table: 'instance', column: 'link_private_key', row: instance.uid }
    const key = Buffer.from(secrets.open(instance.link_private_key, place), 'base64')
    return signLicense(createPrivateKey({ key, format: 'der', type: 'pkcs8' }), {
      channels,
      licensee: customer,
      until: expires?.toISOString() ?? null,
      serial: newUid(),
    })
  } finally {
    await client.end()
  }
}
