import type { Discovery } from '@sightline/contract'
import type { LinkDiscovered, Scanned } from '@sightline/contract/edge'
import { describe, expect, test } from 'vitest'
import type { Services } from '../services.ts'
import { discover, type KnownCamera } from './discover.ts'

const camera = (change: Partial<LinkDiscovered>): LinkDiscovered => ({
  ...{ endpoint_uuid: null, xaddr: 'http://192.168.1.20/', host: '192.168.1.20', port: 80, is_demo: false },
  ...{ name: null, maker: null, model: null, interface: 'eth0', ...change },
})
const device = (uid: string, address: string, uuid: string | null = null): KnownCamera => ({
  ...{ uid, uuid, name: uid, stream_address: address, onvifPort: null, addresses: [address] },
})
const nobody = { interfaces: ['eth0'], range: null, ms: 1, unusable: [] }

/** A search in which the edge server says this; answers its end. */
async function search(answers: Iterable<LinkDiscovered>, known: readonly KnownCamera[], scanned: Scanned = nobody) {
  const told: Discovery[] = []
  const app = {
    db: { as: async () => known },
    demo: { isDemo: () => false },
    links: {
      async discover(_uid: string, _search: object, onFound: (found: LinkDiscovered) => void) {
        for (const answer of answers) onFound(answer)
        return scanned
      },
    },
  } as unknown as Services
  const report = ({ result }: { result?: unknown }) => void told.push(result as Discovery)
  const job = { signal: new AbortController().signal, report }
  await discover(app, { tenant_id: 1, uid: crypto.randomUUID() }, { seconds: 1 }, job)
  const { found, scanned: end } = told.at(-1) as Discovery
  return { found, unusable: end?.unusable, heard: told.length }
}

describe('what an edge server says that it found', () => {
  const known = Array.from({ length: 5000 }, (_, i) => device(`${i}`, `rtsp://10.${i >> 8}.${i & 255}.1/`))

  test('ends at a thousand cameras, and at 64 of one host and port, however much it says and however many are known', async () => {
    function* flood() {
      for (let i = 0; i < 50_000; i++) yield camera({ xaddr: `http://192.168.1.20/${i}` })
      for (let i = 0; i < 50_000; i++)
        yield camera({ host: `10.${i >> 8}.${i & 255}.1`, xaddr: `http://10.${i >> 8}.${i & 255}.1/` })
    }
    const { found, heard } = await search(flood(), known)
    expect(found).toHaveLength(1000)
    expect(found.filter(({ host }) => host === '192.168.1.20')).toHaveLength(64)
    expect(found.slice(64).map(({ device_id }) => device_id)).toEqual(known.slice(0, 936).map(({ uid }) => uid))
    // Of what is left out nobody is told anew.
    expect(heard).toBe(1001)
  })

  test('marks the only one at a host and port by its host, and several there by their ids, the first of them too', async () => {
    const ids = [crypto.randomUUID(), crypto.randomUUID()] as const
    const recorder = [device('typed', 'rtsp://192.168.1.20/1'), device('second', 'rtsp://192.168.1.99/2', ids[1])]
    const channels = ids.map((endpoint_uuid) =>
      camera({ endpoint_uuid, xaddr: `http://192.168.1.20/${endpoint_uuid}` }),
    )
    const marks = async (answers: LinkDiscovered[]) =>
      (await search(answers, recorder)).found.map(({ device_id }) => device_id)
    expect(await marks(channels.slice(0, 1))).toEqual(['typed'])
    expect(await marks(channels)).toEqual([null, 'second'])
  })
})

test('of hosts that cannot be used a search leaves out those by https only that were added by a stream of theirs', async () => {
  const known = [
    device('one', 'rtsp://192.168.1.20/stream'),
    device('two', 'rtsp://Gate.Example.org:554/'),
    device('three', 'rtsp://192.168.1.30/'),
  ]
  const https = ['192.168.1.20', 'gate.example.org', '192.168.1.2'].map(
    (host) => ({ host, cause: 'camera_https_only' }) as const,
  )
  const refused = { host: '192.168.1.30', cause: 'camera_address_refused' } as const
  const { unusable } = await search([], known, { ...nobody, unusable: [...https, refused] })
  expect(unusable).toEqual([https[2], refused])
})
