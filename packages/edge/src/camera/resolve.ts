import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

const timeoutMs = 5000
/**
 * The system's resolver (hosts file, mDNS) holds a thread of the pool that files need too, for as long as the name server
 * is silent: of the four, two stay free.
 */
const mostAtOnce = 2
const waiting: (() => void)[] = []
let running = 0

/** Every address of a host, IPv4 first; addresses pass as they are. Rejects when there is none within 5 s. */
export async function resolveHost(host: string): Promise<string[]> {
  if (ipaddr.isValid(host) && /[.:]/.test(host)) return [host]
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The name server does not answer.')), timeoutMs)
  try {
    const answers = await Promise.race([inTurn(() => lookup(host, { all: true, order: 'ipv4first' })), late.promise])
    return answers.map(({ address }) => address)
  } finally {
    clearTimeout(timer)
  }
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}
