import { describe, expect, test } from 'vitest'
import { groupAccessUnits, nalType, splitNalUnits } from './annexb.ts'
import { loadScene, sceneNames } from './scene.ts'

const unit = (...bytes: number[]) => Uint8Array.from(bytes)
const stream = (...parts: number[][]) => Uint8Array.from(parts.flat())

describe('NAL units', () => {
  test('are found behind start codes of three and four bytes, without padding', () => {
    const bytes = stream([0, 0, 1, 0x67, 5], [0, 0, 0, 1, 0x68, 6, 0x80], [0, 0], [0, 0, 1, 0x65, 7, 0, 0])
    expect(splitNalUnits(bytes).map((found) => [...found])).toEqual([
      [0x67, 5],
      [0x68, 6, 0x80],
      [0x65, 7],
    ])
  })

  test('are none in an empty or foreign stream', () => {
    expect(splitNalUnits(stream())).toEqual([])
    expect(splitNalUnits(stream([1, 2, 3, 4]))).toEqual([])
    expect(splitNalUnits(stream([0, 0, 1]))).toEqual([])
  })
})

describe('access units', () => {
  test('keep the slices of one picture together', () => {
    const slices = [unit(0x67), unit(0x68), unit(0x65, 0x80), unit(0x65, 0x40), unit(0x41, 0x80), unit(0x41, 0x20)]
    const grouped = groupAccessUnits('H264', slices)
    expect(grouped.map(({ units, isKey }) => [units.length, isKey])).toEqual([
      [4, true],
      [2, false],
    ])
  })

  test('begin with the parameter sets and messages in front of the next picture', () => {
    const grouped = groupAccessUnits('H264', [unit(0x41, 0x80), unit(6), unit(0x67), unit(0x68), unit(0x65, 0x80)])
    expect(grouped.map(({ units }) => units.map((each) => nalType('H264', each)))).toEqual([[1], [6, 7, 8, 5]])
  })

  test('of H.265 go by the first-slice bit behind its two-byte header', () => {
    const idr = (first: number) => unit(20 << 1, 1, first)
    const grouped = groupAccessUnits('H265', [unit(32 << 1, 1), idr(0x80), idr(0), unit(1 << 1, 1, 0x80)])
    expect(grouped.map(({ units, isKey }) => [units.length, isKey])).toEqual([
      [3, true],
      [1, false],
    ])
  })
})

describe.each(sceneNames)('scene %s', (name) => {
  const scene = loadScene(name)

  test('has a key frame with its parameter sets at least every two seconds', () => {
    for (const clip of [scene.clips.h264, scene.clips.h265, scene.clips.black]) {
      if (clip.codec === 'MJPEG') throw new Error('not a video codec')
      const sets = clip.codec === 'H264' ? [7, 8] : [32, 33, 34]
      const keys = clip.pictures.flatMap(({ isKey, units }, i) => (isKey ? [{ i, units }] : []))
      for (const { units } of keys)
        expect(units.map((each) => nalType(clip.codec as 'H264', each))).toEqual(expect.arrayContaining(sets))
      const gaps = keys.map(({ i }, k) => (keys[k + 1]?.i ?? clip.pictures.length) - i)
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * scene.fps)
    }
  })

  test('keeps its parameter sets when the lens is covered, so that a decoder need not start again', () => {
    const setsOf = (clip: keyof typeof scene.clips) =>
      scene.clips[clip].pictures[0]?.units.filter((each) => nalType('H264', each) >= 7)
    expect(setsOf('black')).toEqual(setsOf('h264'))
  })
})
