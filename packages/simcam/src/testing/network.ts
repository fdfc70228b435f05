/**
 * Simulated cameras on a network of their own, with an address each: a network namespace of Linux, reached by a pair of virtual
 * interfaces. Unlike on this machine's own addresses, where nobody is there nobody says so.
 */
import { execFileSync, spawn } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Said } from './network-process.ts'

export type CameraNetwork = {
  /** Hears of each answer to a search: the camera's UUID, and when it was given, ms since the epoch. */
  onAnswer(hear: (uuid: string, at: number) => void): void
  close(): Promise<void>
}

const script = fileURLToPath(new URL('./network-process.ts', import.meta.url))

/**
 * @param network the first three numbers of a /24, of which this machine becomes the first host
 * @param hosts the last numbers of the cameras
 * @param secure the last numbers of those that name an address by https alone, at which nothing more is to be had
 * @returns null where that is not allowed: it needs root, or CAP_NET_ADMIN, and iproute2
 */
export async function startCameraNetwork(
  network: string,
  hosts: readonly number[],
  secure: readonly number[] = [],
): Promise<CameraNetwork | null> {
  const addresses = [...hosts, ...secure].map((host) => `${network}.${host}`)
  const namespace = `sightline-${process.pid}`
  if (!makeNetwork(namespace, network, addresses)) return null
  const cameras = addresses.map((address, i) => (i < hosts.length ? address : `https://${address}`))
  const args = ['netns', 'exec', namespace, process.execPath, script, ...cameras]
  const child = spawn('ip', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let hear: (uuid: string, at: number) => void = () => undefined
  const close = async () => {
    child.kill()
    await ended
    ip('netns', 'del', namespace)
  }
  try {
    await new Promise<void>((ready, fail) => {
      child.once('error', fail)
      child.once('exit', (code) => fail(new Error(`The cameras ended with ${code}`)))
      createInterface(child.stdout).on('line', (line) => {
        const said = JSON.parse(line) as Said
        if (said.type === 'ready') ready()
        else hear(said.uuid, said.at)
      })
    })
  } catch (error) {
    await close()
    throw error
  }
  return {
    onAnswer(next) {
      hear = next
    },
    close,
  }
}

const prefix = 'slcam'
/** Addresses that this machine keeps: networks of other tests come and go beside one that reads them twice. */
export const lastingAddresses = () =>
  Object.entries(networkInterfaces()).flatMap(([name, list]) => (name.startsWith(prefix) ? [] : (list ?? [])))

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'ignore' })

function makeNetwork(namespace: string, network: string, addresses: readonly string[]): boolean {
  // Names of interfaces have 15 characters at most.
  const [here, there] = [`${prefix}${process.pid}a`, `${prefix}${process.pid}b`]
  const inside = (...args: string[]) => ip('-netns', namespace, ...args)
  try {
    ip('netns', 'add', namespace)
  } catch {
    // Not root, or no such program: the caller says so.
    return false
  }
  try {
    ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', namespace)
    ip('addr', 'add', `${network}.1/24`, 'dev', here)
    ip('link', 'set', here, 'up')
    for (const address of addresses) inside('addr', 'add', `${address}/24`, 'dev', there)
    inside('link', 'set', there, 'up')
    return true
  } catch {
    // A container may have namespaces, but no such interfaces.
    ip('netns', 'del', namespace)
    return false
  }
}
