import type { LinkDiscovered } from '@sightline/contract/edge'
import { linkDiscovered } from '@sightline/contract/edge'
import { type Discovery, openDiscovery, type SimulatedCamera, startCamera } from '@sightline/simcam'
import { afterEach, describe, expect, test } from 'vitest'
import { startCameraNetwork } from '../../../simcam/src/testing/network.ts'
import { type KnownHosts, nothingKnown } from '../camera/address.ts'
import { local } from '../camera/testing/watch.ts'
import { type DiscoverOptions, describeMatch, discover, scanInterfaces } from './discover.ts'
import { probeMatches, startResponder } from './testing/responder.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()))
})

/** Simulated cameras that are announced on loopback, and declared. */
async function cameras(count: number) {
  const discovery: Discovery = await openDiscovery('127.0.0.1')
  const made: SimulatedCamera[] = []
  for (let i = 0; i < count; i++)
    made.push(
      await startCamera({
        scene: 'lobby',
        host: '127.0.0.1',
        username: 'admin',
        password: 'pw',
        name: `Front door ${i + 1}`,
        uuid: crypto.randomUUID(),
        discovery,
      }),
    )
  running.push(discovery, ...made.map((camera) => ({ close: () => camera.stop() })))
  const list = made.map(({ camera }) => camera)
  return { list, known: local(...list.map(({ onvif_port }) => onvif_port)) }
}

async function run(options: DiscoverOptions, known: KnownHosts, signal?: AbortSignal) {
  const found: (LinkDiscovered & { afterMs: number })[] = []
  const started = performance.now()
  const scanned = await discover(options, {
    known,
    signal,
    onFound: (one) => found.push({ ...one, afterMs: performance.now() - started }),
  })
  return { found, scanned }
}

/** A device at a port of its own that tells what a test wants. */
async function liar(said: { xaddrs?: string; uuid?: string; scopes?: string }[]) {
  running.push(await startResponder((relatesTo) => said.map((each) => probeMatches({ relatesTo, ...each }))))
}

/** Beyond what answers may take on a machine that is busy with other things. */
const patiently = { seconds: 3 }

describe('discovery', () => {
  test('finds two cameras on loopback and tells of each as it answers', async () => {
    const { list, known } = await cameras(2)
    const { found, scanned } = await run(patiently, known)
    expect(found.map(({ xaddr }) => xaddr).sort()).toEqual(list.map(({ xaddr }) => xaddr).sort())
    const one = found.find(({ xaddr }) => xaddr === list[0]?.xaddr)
    expect(one).toMatchObject({
      endpoint_uuid: list[0]?.UUID,
      host: '127.0.0.1',
      port: list[0]?.onvif_port,
      name: 'Front door 1',
      model: 'Simulated camera',
      interface: 'lo',
      is_demo: true,
    })
    for (const { afterMs, ...each } of found) {
      linkDiscovered.parse(each)
      expect(afterMs).toBeLessThan(scanned.ms - 200)
    }
    expect(scanned.interfaces).toContain('lo')
    expect(scanned.range).toBeNull()
    expect(scanned.ms).toBeGreaterThanOrEqual(2990)
    expect(scanned.ms).toBeLessThan(10_000)
  })

  test('a range is asked to its last address, however many of them nobody has', async ({ skip }) => {
    const network = await startCameraNetwork('10.249.8', [11, 150, 254])
    if (!network) {
      console.log('skipped: cameras on a network of their own need root (or CAP_NET_ADMIN) and iproute2')
      return skip()
    }
    running.push(network)
    const { found } = await run({ range: '10.249.8.0/24', interfaces: [], seconds: 5 }, nothingKnown)
    expect(found.map(({ host }) => host).sort()).toEqual(['10.249.8.11', '10.249.8.150', '10.249.8.254'])
  })

  test('keeps quiet about programs on this machine that are not declared as demo cameras', async () => {
    const { list, known } = await cameras(2)
    const first = local(list[0]?.onvif_port ?? 0)
    expect((await run(patiently, first)).found.map(({ xaddr }) => xaddr)).toEqual([list[0]?.xaddr])
    const unasked = await run({}, nothingKnown)
    expect(unasked.found).toEqual([])
    // As long as devices may delay their answer.
    expect(unasked.scanned.ms).toBeGreaterThanOrEqual(690)
    expect((await run(patiently, known)).found.length).toBe(2)
  })

  test('ends at once when it is stopped, with what it has found', async () => {
    const { known } = await cameras(1)
    const stop = new AbortController()
    const found: LinkDiscovered[] = []
    const scanned = await discover(
      { seconds: 40 },
      {
        known,
        signal: stop.signal,
        onFound: (one) => {
          found.push(one)
          stop.abort()
        },
      },
    )
    expect(found.length).toBe(1)
    expect(scanned.ms).toBeLessThan(20_000)
  })

  test('asks only on the interfaces that are named', async () => {
    const { known } = await cameras(1)
    const others = scanInterfaces().filter(({ name }) => name !== 'lo')
    expect((await run({ interfaces: ['lo'] }, known)).scanned.interfaces).toEqual(['lo'])
    const elsewhere = others.map(({ name }) => name)
    if (elsewhere.length > 0) expect((await run({ interfaces: elsewhere }, known)).found).toEqual([])
    await expect(run({ interfaces: ['none0'] }, known)).rejects.toThrow('interface_unknown')
  })

  test.each([
    ['192.168.1', 'range_invalid'],
    ['8.8.8.0/24', 'range_not_private'],
    ['10.0.0.0/8', 'range_too_large'],
  ])('refuses the range %s', async (range, fault) => {
    await expect(run({ range }, nothingKnown)).rejects.toThrow(fault)
  })
})

describe('a device that lies', () => {
  const port = 50_999
  const known = local(port)
  const uuid = '5a3c1e5e-1111-4111-8111-111111111111'

  test('about its host is offered at the address that it answered from', async () => {
    await liar([{ uuid, xaddrs: `http://169.254.169.254:${port}/onvif/device_service` }])
    const { found } = await run(patiently, known)
    expect(found.map(({ xaddr, host }) => [xaddr, host])).toEqual([
      [`http://127.0.0.1:${port}/onvif/device_service`, '127.0.0.1'],
    ])
  })

  test('among several addresses is taken at its own', async () => {
    await liar([
      { uuid, xaddrs: `http://10.1.1.1:${port}/a http://[fe80::1]/b http://127.0.0.1:${port}/c https://127.0.0.1/d` },
    ])
    expect((await run(patiently, known)).found.map(({ xaddr }) => xaddr)).toEqual([`http://127.0.0.1:${port}/c`])
  })

  test('about who it is cannot hide the one whose name it takes', async () => {
    await liar([
      { uuid, xaddrs: `http://127.0.0.1:${port}/real` },
      { uuid, xaddrs: `http://127.0.0.1:${port}/false` },
    ])
    expect((await run(patiently, known)).found.length).toBe(2)
  })

  test.each([
    ['no address', ''],
    ['an address that is none', 'http://'],
    ['another scheme', 'file:///etc/passwd'],
    ['a port that is none', 'http://127.0.0.1:99999/'],
  ])('with %s is passed over', async (_what, xaddrs) => {
    await liar([{ uuid, xaddrs }])
    expect((await run({}, local(port, 80))).found).toEqual([])
  })

  test('by https only is told of with the cause, unless it can be used after all or is a program of ours', async () => {
    const [https, http] = [`https://127.0.0.1:${port}/x`, `http://127.0.0.1:${port}/x`]
    await liar([{ uuid, xaddrs: https }])
    const told = await run(patiently, known)
    expect(told.found).toEqual([])
    expect(told.scanned.unusable).toEqual([{ host: '127.0.0.1', cause: 'camera_https_only' }])
    expect((await run({}, nothingKnown)).scanned.unusable).toEqual([])
    await liar([{ uuid, xaddrs: http }])
    const both = await run(patiently, known)
    expect([both.found.length, both.scanned.unusable]).toEqual([1, []])
  })

  test('from an address that no camera may have is told of, from the portal’s not', () => {
    const answer = { XAddrs: 'http://169.254.7.7/onvif/device_service' }
    const cause = (host: string, portal: string[] = []) => describeMatch(answer, host, null, { simulated: [], portal })
    expect(cause('169.254.7.7')).toEqual({ host: '169.254.7.7', cause: 'camera_address_refused' })
    expect(cause('192.0.2.7', ['192.0.2.7'])).toBeNull()
    expect(cause('192.0.2.7')).toMatchObject({ host: '192.0.2.7', port: 80 })
  })

  test('with credentials and rubbish in what it says is cleaned', async () => {
    const scopes = `onvif://www.onvif.org/name/%E0%A4%A onvif://www.onvif.org/hardware/${'x'.repeat(500)} onvif://www.onvif.org/manufacturer/A%0AB`
    await liar([{ uuid, xaddrs: `http://admin:secret@127.0.0.1:${port}/x`, scopes }])
    const [one] = (await run(patiently, known)).found
    expect(one).toMatchObject({ xaddr: `http://127.0.0.1:${port}/x`, name: '%E0%A4%A', maker: 'A B' })
    expect(one?.model?.length).toBe(200)
  })

  test('many times over is heard some times, so that it leaves room for others', async () => {
    await liar(Array.from({ length: 1200 }, (_, i) => ({ xaddrs: `http://127.0.0.1:${port}/${i}` })))
    const { found } = await run(patiently, known)
    expect(found.length).toBeGreaterThan(1)
    expect(found.length).toBeLessThanOrEqual(64)
  })
})
