import { expect, test } from 'vitest'
import { createFragmentJoiner } from './fragments.ts'

const first = 1
const last = 2
type Part = { seq: number; body: string; edges?: number; channel?: number; time?: number; type?: number; rtp?: number }

/** An interleaved packet with a fragment of a unit of type 5; the last one has the marker, as in a camera's stream. */
function fragment({ seq, body, edges = 0, channel = 0, time = 9000, type = 5, rtp = 0x80 }: Part): Buffer {
  const rtpHead = Buffer.from([rtp, edges & last ? 0xe0 : 0x60, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])
  rtpHead.writeUInt16BE(seq, 2)
  rtpHead.writeUInt32BE(time, 4)
  const head = (edges & first ? 0x80 : 0) | (edges & last ? 0x40 : 0) | type
  return interleaved(channel, Buffer.concat([rtpHead, Buffer.from([0x7c, head]), Buffer.from(body)]))
}
function interleaved(channel: number, packet: Buffer): Buffer {
  const frame = Buffer.from([0x24, channel, 0, 0])
  frame.writeUInt16BE(packet.length, 2)
  return Buffer.concat([frame, packet])
}

function passed(packets: readonly Buffer[]): Buffer[] {
  const out: Buffer[] = []
  const joiner = createFragmentJoiner((packet) => void out.push(packet))
  const memory = Buffer.alloc(70_000)
  for (const packet of packets) {
    // Each stands where the one before stood, as in the relay.
    packet.copy(memory)
    joiner.take(memory.subarray(0, packet.length))
  }
  joiner.flush()
  return out
}

test('fragments of a unit become the unit, with the time, marker and number of the last', () => {
  const [unit, ...more] = passed([
    fragment({ seq: 65534, body: 'one ', edges: first }),
    fragment({ seq: 65535, body: 'two ' }),
    fragment({ seq: 0, body: 'three', edges: last }),
  ])
  expect(more).toEqual([])
  const rtp = Buffer.from([0x80, 0xe0, 0, 0, 0, 0, 0x23, 0x28, 1, 2, 3, 4])
  expect(unit).toEqual(interleaved(0, Buffer.concat([rtp, Buffer.from([0x65]), Buffer.from('one two three')])))
})

test('a unit larger than a packet may be comes in as few fragments as carry it, in order and whole', () => {
  const bodies = Array.from({ length: 100 }, (_, i) => String.fromCharCode(33 + (i % 90)).repeat(1400))
  const edges = (i: number) => (i === 0 ? first : 0) | (i === 99 ? last : 0)
  const out = passed(bodies.map((body, i) => fragment({ seq: i, body, edges: edges(i) })))
  expect(out).toHaveLength(3)
  for (const packet of out) expect(packet.readUInt16BE(2)).toBe(packet.length - 4)
  expect(out.map((packet) => (packet[17] as number) & 0xc0)).toEqual([0x80, 0, 0x40])
  expect(out.map((packet) => packet.toString('latin1', 18)).join('')).toBe(bodies.join(''))
})

test('a unit of very many fragments leaves no gap between numbers that its reader takes for another stream', () => {
  const edges = (i: number) => (i === 0 ? first : 0) | (i === 3999 ? last : 0)
  const out = passed(Array.from({ length: 4000 }, (_, i) => fragment({ seq: i, body: 'ab', edges: edges(i) })))
  const numbers = [-1, ...out.map((packet) => packet.readUInt16BE(6))]
  expect(Math.max(...numbers.slice(1).map((number, i) => number - (numbers[i] as number)))).toBeLessThan(3000)
  expect(out.map((packet) => packet.toString('latin1', 18)).join('')).toBe('ab'.repeat(4000))
})

const beginning = fragment({ seq: 7, body: 'begins', edges: first })
/** A sender report (RFC 3550, 6.4.1), whose fraction of a second looks like the heads of a whole fragment. */
const report = interleaved(1, Buffer.from('80c80006000000010000000a7cc5123400000000000000000000000000', 'hex'))
test.each([
  ['after one that was lost', fragment({ seq: 9, body: 'goes on' })],
  ['of another picture', fragment({ seq: 8, body: 'goes on', time: 12_000 })],
  ['of another channel', fragment({ seq: 8, body: 'goes on', channel: 2 })],
  ['of another kind of unit', fragment({ seq: 8, body: 'goes on', type: 1 })],
  ['that begins a unit', fragment({ seq: 8, body: 'goes on', edges: first })],
  ['with padding', fragment({ seq: 8, body: 'goes on', rtp: 0xa0 })],
  ['that is a report whose bytes look like one', report],
  ['with several units in it', fragment({ seq: 8, body: 'goes on', type: 24, edges: first | last })],
  ['too short to be one', interleaved(0, Buffer.from('12 bytes....'))],
])('a packet %s is joined to nothing, and both pass as they came', (_what, next) => {
  expect(passed([beginning, next])).toEqual([beginning, next])
})

test('what ends no unit is held until the next packet comes, and no longer', () => {
  const out: Buffer[] = []
  const { take } = createFragmentJoiner((packet) => void out.push(packet))
  take(beginning)
  expect(out).toEqual([])
  const report = interleaved(1, Buffer.from('a report of the sender'))
  take(report)
  expect(out).toEqual([beginning, report])
})
