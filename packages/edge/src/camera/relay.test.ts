import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openRelay, takeAnswer } from './relay.ts'
import { misread } from './testing/misread.ts'

const ip = '198.51.100.7'
const taken = (text: string, transport: 'tcp' | 'udp' = 'tcp') => {
  const answer = takeAnswer(Buffer.from(text, 'latin1'), ip, transport)
  return answer && 'text' in answer ? answer.text.toString('latin1') : answer
}
const refused = { cause: 'not_rtsp' }

describe('an answer', () => {
  test.each(misread)('that may be read in two ways is refused: $what', ({ answer }) => {
    expect(taken(answer('rtsp://198.51.100.66/', '200 OK'))).toEqual(refused)
    expect(taken(answer('rtsp://198.51.100.66/', '401 Unauthorized'), 'udp')).toEqual(refused)
  })

  test.each(misread)('of that kind ends the connection, and nothing of it passes: $what', async ({ answer }) => {
    const { camera, relay, seen } = await relayed('tcp')
    camera.write(answer('rtsp://198.51.100.66/', '200 OK'), 'latin1')
    await expect.poll(() => relay.refusal()).toBe('not_rtsp')
    expect(seen()).toBe('')
  })

  test('is written anew: what FFmpeg needs of it, its own length, and nothing else', () => {
    const text =
      'RTSP/1.0 200 OK\r\nCSeq:1\r\nServer: WMServer/9\r\nLocation: rtsp://198.51.100.66/\r\nRealChallenge1: a\r\n' +
      'SESSION:\t7;timeout=60 \r\nX-Other: y\r\ncontent-length:  3\r\n\r\nv=0RTSP/1.0 200 OK'
    expect(taken(text)).toBe('RTSP/1.0 200 OK\r\ncseq: 1\r\nsession: 7;timeout=60\r\ncontent-length: 3\r\n\r\nv=0')
  })

  test('is waited for until it is whole', () => {
    const text = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 3\r\n\r\nv=0'
    for (let length = 1; length < text.length; length++) expect(taken(text.slice(0, length))).toBeNull()
  })

  test.each(['300', '301', '302', '303', '305', '399'])('that redirects is said to: %s', (status) => {
    expect(taken(`RTSP/1.0 ${status}\r\nLocation: rtsp://198.51.100.66/\r\n\r\n`)).toEqual({ cause: 'redirected' })
  })

  test('of a camera that asks in its turn whether anybody is there passes without what it names', () => {
    const text = 'OPTIONS rtsp://198.51.100.66/ RTSP/1.0\r\nCSeq: 4\r\nLocation: rtsp://198.51.100.66/\r\n\r\n'
    expect(taken(text)).toBe('OPTIONS * RTSP/1.0\r\ncseq: 4\r\n\r\n')
  })
})

describe('the way of sending', () => {
  const way = (transport: 'tcp' | 'udp', value: string, status = '200 OK') => {
    const text = taken(`RTSP/1.0 ${status}\r\nTransport: ${value}\r\n\r\n`, transport)
    return typeof text === 'string' ? /transport: (.*)\r\n/.exec(text)?.[1] : text
  }

  test('by UDP has the checked address for its source, and only fields that are known', () => {
    const own = `RTP/AVP;unicast;client_port=5000-5001;server_port=9000-9001;source=${ip}`
    const ports = 'client_port=5000-5001;server_port=9000-9001'
    expect(way('udp', `RTP/AVP/UDP;unicast;${ports};ssrc=1A2B;mode="PLAY"`)).toBe(
      own.replace(';source', ';ssrc=1a2b;mode="play";source'),
    )
    for (const more of [
      'source=10.9.9.9',
      ' Source = 10.9.9.9',
      'x=interleaved;/source=10.9.9.9',
      'x=/tcp;source=10.9.9.9;/destination=10.9.9.9',
      'multicast;port=1-2;ttl=3',
      'interleaved=0-1;source=10.9.9.9',
    ])
      expect(way('udp', `RTP/AVP;unicast;${ports};${more}`)).toBe(own)
  })

  test('within the connection has channels, and no address', () => {
    expect(way('tcp', 'RTP/AVP/TCP; unicast; interleaved=0-1; source=10.9.9.9; server_port=1')).toBe(
      'RTP/AVP/TCP;unicast;interleaved=0-1',
    )
  })

  test('is the one that was asked for, and one', () => {
    expect(way('tcp', 'RTP/AVP;unicast;client_port=1-2')).toEqual(refused)
    expect(way('udp', 'RTP/AVP/TCP;interleaved=0-1')).toEqual(refused)
    expect(way('udp', 'RAW/RAW/UDP;client_port=1-2')).toEqual(refused)
    expect(way('udp', 'RTP/AVP;client_port=1-2,RTP/AVP;source=10.9.9.9')).toEqual(refused)
  })

  test('does not matter in an answer that says no', () => {
    expect(way('tcp', 'RTP/AVP;unicast', '461 Unsupported Transport')).toBeUndefined()
  })
})

describe('packets of pictures', () => {
  const setUp = (value = 'RTP/AVP/TCP;interleaved=0-1') => `RTSP/1.0 200 OK\r\nTransport: ${value}\r\n\r\n`
  const setUpAnswer = 'RTSP/1.0 200 OK\r\ntransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n'
  const packet = (body: string) => `$\0\0${String.fromCharCode(body.length)}${body}`

  test('pass between answers, whole or in pieces; what FFmpeg would read as text does not', async () => {
    const { camera, seen } = await relayed('tcp')
    const lure = packet('RTSP/1.0 302 x\r\n\r\n')
    const all = `${setUp()}${lure}${packet('$\r\n\r\n')}RTSP/1.0 200 OK\r\nCSeq: 5\r\n\r\n${packet('another one')}`
    for (const byte of all) {
      camera.write(byte, 'latin1')
      await new Promise(setImmediate)
    }
    const passed = `RTSP/1.0 200 OK\r\ntransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n${lure}RTSP/1.0 200 OK\r\ncseq: 5\r\n\r\n${packet('another one')}`
    await expect.poll(seen).toBe(passed)
  })

  test('that come byte by byte are copied as often as those that come whole', async () => {
    const { camera, seen } = await relayed('tcp')
    camera.write(setUp(), 'latin1')
    await expect.poll(seen).toContain('interleaved=0-1')
    const body = 'p'.repeat(40_000)
    const large = Buffer.from(`$\0${String.fromCharCode(body.length >> 8, body.length & 0xff)}${body}`, 'latin1')
    const copied = countCopies()
    for (const byte of large) {
      camera.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    await expect.poll(seen).toHaveLength(large.length + setUpAnswer.length)
    expect(copied()).toBeLessThan(6 * large.length)
  })

  test('that are fragments of a unit pass as the unit, however they come in, and nothing overtakes them', async () => {
    const { camera, seen } = await relayed('tcp')
    const fragment = (sequence: number, head: number, body: string) =>
      packet(`\x80\x60\0${String.fromCharCode(sequence)}\0\0\0\x01\0\0\0\x02\x7c${String.fromCharCode(head)}${body}`)
    const begins = fragment(1, 0x85, 'begins, ')
    camera.write(`${setUp()}${begins}${fragment(2, 0x05, 'goes on, ').slice(0, 9)}`, 'latin1')
    await expect.poll(seen).toContain('interleaved=0-1')
    camera.write(`${fragment(2, 0x05, 'goes on, ').slice(9)}${fragment(3, 0x45, 'ends')}${begins}`, 'latin1')
    camera.write(`RTSP/1.0 200 OK\r\nCSeq: 5\r\n\r\n`, 'latin1')
    const unit = packet('\x80\x60\0\x03\0\0\0\x01\0\0\0\x02\x65begins, goes on, ends')
    await expect.poll(seen).toMatch(/cseq: 5\r\n\r\n$/)
    expect(seen().slice(seen().indexOf('$'))).toBe(`${unit}${begins}RTSP/1.0 200 OK\r\ncseq: 5\r\n\r\n`)
  })

  test('are refused before they were agreed upon, and with UDP', async () => {
    const early = await relayed('tcp')
    early.camera.write(packet('too early'))
    await expect.poll(() => early.relay.refusal()).toBe('not_rtsp')
    const udp = await relayed('udp')
    udp.camera.write(setUp('RTP/AVP;client_port=1-2;interleaved=0-1') + packet('not agreed'))
    await expect.poll(() => udp.relay.refusal()).toBe('not_rtsp')
  })

  test('with something else between them end it, as a stream that is bad; a redirect among them is not followed', async () => {
    const junk = await relayed('tcp')
    junk.camera.write(`${setUp()}${packet('a picture')}junk`)
    await expect.poll(() => junk.relay.refusal()).toBe('bad_stream')
    const redirect = await relayed('tcp')
    redirect.camera.write(`${setUp()}${packet('a picture')}RTSP/1.0 302 Found\r\n\r\n`)
    await expect.poll(() => redirect.relay.refusal()).toBe('redirected')
    expect(redirect.seen()).not.toContain('302')
  })
})

/** Bytes that buffers copied from now on. */
function countCopies(): () => number {
  let bytes = 0
  const { copy } = Buffer.prototype
  const { concat, from } = Buffer
  const spies = [
    vi.spyOn(Buffer.prototype, 'copy').mockImplementation(function (this: Buffer, ...to: unknown[]) {
      const count = (copy as (...to: unknown[]) => number).apply(this, to)
      bytes += count
      return count
    }),
    vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
      const joined = concat.call(Buffer, list, length)
      bytes += joined.length
      return joined
    }),
    vi.spyOn(Buffer, 'from').mockImplementation(((...given: unknown[]) => {
      const made = (from as (...given: unknown[]) => Buffer).apply(Buffer, given)
      bytes += made.length
      return made
    }) as never),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return () => bytes
}

/** A relay with both its ends: the camera's, and all that FFmpeg would have seen. */
async function relayed(transport: 'tcp' | 'udp') {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const arrival = once(server, 'connection')
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('No port.')
  const relay = await openRelay({ ip: '127.0.0.1', port: address.port, transport })
  if ('cause' in relay) throw new Error(relay.cause)
  const [camera] = (await arrival) as [Socket]
  camera.setNoDelay(true).on('error', () => camera.destroy())
  const player = connect(relay.port, '127.0.0.1')
  await once(player, 'connect')
  let seen = ''
  player.on('data', (bytes) => {
    seen += bytes.toString('latin1')
  })
  player.on('error', () => player.destroy())
  onTestFinished(() => {
    relay.close()
    camera.destroy()
    player.destroy()
    server.close()
  })
  return { relay, camera, seen: () => seen }
}
