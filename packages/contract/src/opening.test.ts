import { describe, expect, test } from 'vitest'
import { linkClose, linkProtocol } from './edge.ts'
import { createLinkKey, fingerprintOf, isSignedBy, openLinkKey } from './key.ts'
import { OpeningFault, type OpeningPipe, type OpeningSelf, openAsNimble, openAsPortal } from './opening.ts'

const nimbleId = '00000000-0000-7000-8000-000000000003'
const portalId = '00000000-0000-7000-8000-0000000000aa'

/** Two ends of one connection; each message may be changed on its way. */
function wire(change: (from: 'portal' | 'nimble', text: string) => string | null = (_, text) => text) {
  let isClosed = false
  const end = (from: 'portal' | 'nimble', into: string[], out: string[]): OpeningPipe => ({
    send: (text) => {
      const changed = change(from, text)
      if (changed !== null) into.push(changed)
    },
    receive: async () => {
      for (const end = Date.now() + 10_000; Date.now() < end && !isClosed; ) {
        const text = out.shift()
        if (text !== undefined) return text
        await new Promise((resolve) => setImmediate(resolve))
      }
      throw new OpeningFault('no_answer')
    },
    release: () => undefined,
  })
  const up: string[] = []
  const down: string[] = []
  const close = () => {
    isClosed = true
  }
  return { portal: end('portal', down, up), nimble: end('nimble', up, down), close }
}

const self = async (id: string | null): Promise<OpeningSelf> => ({
  id,
  software: 'test',
  key: await openLinkKey(await createLinkKey()),
})

async function open(
  ends: ReturnType<typeof wire>,
  portal: OpeningSelf,
  nimble: OpeningSelf,
  accept: { portal?: Parameters<typeof openAsPortal>[2]; nimble?: Parameters<typeof openAsNimble>[2] } = {},
) {
  const asPortal = openAsPortal(ends.portal, portal, accept.portal ?? (() => null)).then((hello) => {
    ends.portal.send(JSON.stringify({ type: 'welcome', nimble_id: nimbleId, time: 1 }))
    return hello
  })
  const asNimble = openAsNimble(ends.nimble, nimble, accept.nimble ?? (() => null))
  // Who is not satisfied hangs up.
  for (const end of [asPortal, asNimble]) end.catch(ends.close)
  const [one, other] = await Promise.allSettled([asPortal, asNimble])
  const fault = (result: PromiseSettledResult<unknown>) =>
    result.status === 'rejected' ? (result.reason as OpeningFault) : null
  return { one, other, portalFault: fault(one), nimbleFault: fault(other) }
}

describe('opening', () => {
  test('ends with both sure of each other', async () => {
    const portal = await self(portalId)
    const nimble = await self(null)
    const { one, other } = await open(wire(), portal, nimble)
    expect(one).toMatchObject({ value: { id: null, public_key: nimble.key.publicKey } })
    expect(other).toMatchObject({ value: { nimbleId, portal: { id: portalId, public_key: portal.key.publicKey } } })
  })

  test('another protocol is refused with its number', async () => {
    const ends = wire((from, text) =>
      from === 'nimble' ? text.replace(`"protocol":${linkProtocol}`, '"protocol":2') : text,
    )
    const { portalFault } = await open(ends, await self(portalId), await self(nimbleId))
    expect(portalFault).toMatchObject({
      fault: 'protocol_mismatch:2',
      code: linkClose.version,
      reason: 'protocol_mismatch:1',
    })
  })

  test.each(['portal', 'nimble'] as const)('a %s that shows the key of another cannot prove it', async (liar) => {
    const [portal, nimble, stranger] = [await self(portalId), await self(nimbleId), await self(null)]
    const thief = { ...(liar === 'portal' ? portal : nimble) }
    // The right public key, and a signature of another.
    thief.key = { publicKey: thief.key.publicKey, sign: stranger.key.sign }
    const { portalFault, nimbleFault } = await open(
      wire(),
      liar === 'portal' ? thief : portal,
      liar === 'nimble' ? thief : nimble,
    )
    expect((liar === 'portal' ? nimbleFault : portalFault)?.fault).toBe('key_unproven')
  })

  test('a proof serves for one pair and one opening alone', async () => {
    const [portal, nimble] = [await self(portalId), await self(nimbleId)]
    const proofs: string[] = []
    const keep = wire((_, text) => {
      if (text.includes('"prove"')) proofs.push(text)
      return text
    })
    await open(keep, portal, nimble)
    const replay = wire((from, text) => (from === 'portal' && text.includes('"prove"') ? (proofs[0] as string) : text))
    expect((await open(replay, portal, nimble)).nimbleFault?.fault).toBe('key_unproven')
    // A nimble cannot pass off the portal's proof to itself as one to another nimble.
    const swapped = wire((from, text) => (from === 'nimble' ? text.replace(nimbleId, portalId) : text))
    expect((await open(swapped, portal, nimble)).nimbleFault?.fault).toBe('key_unproven')
    // Nor hand the portal its own proof back.
    const mirrored = wire((from, text) =>
      from === 'nimble' && text.includes('"prove"') ? (proofs[0] as string) : text,
    )
    expect((await open(mirrored, portal, nimble)).portalFault?.fault).toBe('key_unproven')
  })

  test('who is not wanted is refused before anything is proven to him', async () => {
    const sent: string[] = []
    const ends = wire((from, text) => {
      if (from === 'portal') sent.push(text)
      return text
    })
    const { portalFault } = await open(ends, await self(portalId), await self(nimbleId), {
      portal: () => 'key_changed',
    })
    expect(portalFault).toMatchObject({ fault: 'key_changed', code: linkClose.identity })
    expect(sent).toHaveLength(1)
  })

  test.each(['', 'garbage', '[]', '{"type":"hello"}', '{"type":"hello","protocol":1,"nonce":"\\n"}', '1e999'])(
    'a peer that says %j is no nimble',
    async (text) => {
      const ends = wire((from, own) => (from === 'nimble' ? text : own))
      const { portalFault } = await open(ends, await self(portalId), await self(nimbleId))
      expect(portalFault?.fault).toBe('not_a_nimble')
    },
  )
})

describe('keys', () => {
  test('sign, verify, and are recognised again', async () => {
    const text = await createLinkKey()
    const key = await openLinkKey(text)
    expect(await openLinkKey(text)).toMatchObject({ publicKey: key.publicKey })
    const signature = await key.sign('été')
    expect(await isSignedBy(key.publicKey, 'été', signature)).toBe(true)
    expect(await isSignedBy(key.publicKey, 'ete', signature)).toBe(false)
    expect(await isSignedBy('AAAA', 'été', signature)).toBe(false)
    expect(await isSignedBy(key.publicKey, 'été', '???')).toBe(false)
    expect(await fingerprintOf(key.publicKey)).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  })
})
