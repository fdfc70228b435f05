import { expect, test } from 'vitest'
import { isReference, isSlice, joinNals, parseSps, ppsId, splitNals } from './h264.ts'

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

// Made by x264 with the settings named.
test.each([
  ['High, B-frames, cropped to 1080 rows', '67640028acd940780227e5c044000003000400000300503c60c658', 1920, 1080, 2],
  ['Baseline: nothing comes before its turn', '6742c016d900a02ff97011000003000100000300140f162e48', 640, 360, 0],
  ['Main without B-frames', '674d401fd9005005bb011000000300100000030140f1832480', 1280, 720, 0],
  ['interlaced', '67640016acd940b424d80880000003008000000a0f8a14cb', 720, 576, 2],
  ['4:2:2, odd sizes', '677a000cbcd9415087888fc044000003000400000300503c50a658', 322, 242, 2],
])('sequence parameters: %s', (_what, hex, width, height, reorder) => {
  expect(parseSps(bytes(hex))).toEqual({ id: 0, width, height, reorder })
})

test('damaged parameter sets are null, not errors', () => {
  const sps = bytes('67640028acd940780227e5c044000003000400000300503c60c658')
  for (let length = 0; length < 10; length++) expect(parseSps(sps.subarray(0, length))).toBe(null)
  for (let i = 0; i < 200; i++) {
    const noise = Buffer.from(sps).map((byte, at) => (at > 0 ? (byte * 31 + i * 17 + at * i) & 255 : byte))
    const read = parseSps(Buffer.from(noise))
    if (read) expect(read.width * read.height).toBeGreaterThan(0)
  }
  expect(ppsId(bytes('68'))).toBe(null)
})

test('start codes of three and four bytes, and zeros at the end, do not belong to a unit', () => {
  const stream = bytes('00000001 6742 000001 68ce 00000001 65888040 0000')
  expect(splitNals(stream).map((nal) => nal.toString('hex'))).toEqual(['6742', '68ce', '65888040'])
  expect(splitNals(bytes('0102030405'))).toEqual([])
})

test('samples hold each unit behind its length', () => {
  expect(joinNals([bytes('6588'), bytes('41ff00')]).toString('hex')).toBe('00000002' + '6588' + '00000003' + '41ff00')
})

test('pictures are told from parameters, and those that others need from those that nobody needs', () => {
  expect(['41', '65', '01', '67', '06', '09'].map((hex) => isSlice(bytes(hex)))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  expect(isReference(bytes('41'))).toBe(true)
  expect(isReference(bytes('01'))).toBe(false)
})
