import { describe, expect, test } from 'vitest'
import { parseJpeg } from './jpeg.ts'
import { maxPayloadBytes, payloadsOf } from './payload.ts'
import { loadScene } from './scene.ts'

const sized = (bytes: number, head: number[]) => Buffer.alloc(bytes, 0xab).fill(Buffer.from(head), 0, head.length)

describe('a NAL unit', () => {
  test.each([2, maxPayloadBytes])('of %i bytes goes as it is', (bytes) => {
    const unit = sized(bytes, [0x65, 0x80])
    expect(payloadsOf('H264', [unit])).toEqual([unit])
  })

  test.each([
    ['H264', [0x65], 1, 2],
    ['H265', [20 << 1, 1], 2, 3],
  ] as const)('of %s is put together again from its fragments', (codec, head, headBytes, fragmentHead) => {
    const unit = sized(10_000, [...head])
    const fragments = payloadsOf(codec, [unit])
    for (const fragment of fragments) expect(fragment.length).toBeLessThanOrEqual(maxPayloadBytes)
    expect(Buffer.concat(fragments.map((each) => each.subarray(fragmentHead)))).toEqual(unit.subarray(headBytes))
    const flags = fragments.map((each) => (each[fragmentHead - 1] as number) >> 6)
    expect(flags[0]).toBe(0b10)
    expect(flags.at(-1)).toBe(0b01)
    expect(new Set(flags.slice(1, -1))).toEqual(new Set([0]))
  })
})

describe('a JPEG', () => {
  const [still] = loadScene('lobby').stills as [Uint8Array]

  test('is carried as scan and tables, each fragment at its offset', () => {
    const { scan, tables, width, height } = parseJpeg(still)
    expect([width, height]).toEqual([640, 360])
    const payloads = payloadsOf('MJPEG', [still])
    let offset = 0
    payloads.forEach((payload, i) => {
      const view = Buffer.from(payload)
      expect(payload.length).toBeLessThanOrEqual(maxPayloadBytes)
      expect(view.readUIntBE(1, 3)).toBe(offset)
      expect([...payload.subarray(4, 8)]).toEqual([1, 255, 80, 45])
      const body = payload.subarray(i === 0 ? 8 + 4 + 128 : 8)
      expect(body).toEqual(scan.subarray(offset, offset + body.length))
      offset += body.length
    })
    expect(offset).toBe(scan.length)
    expect([...(payloads[0] as Uint8Array).subarray(12, 76)]).toEqual([...tables[0]])
  })

  test('that RTP cannot carry is refused', () => {
    expect(() => parseJpeg(Uint8Array.from([0xff, 0xd8, 0, 0, 0, 0]))).toThrow('not a JPEG')
    expect(() => parseJpeg(still.subarray(0, 30))).toThrow('without a scan')
  })
})
