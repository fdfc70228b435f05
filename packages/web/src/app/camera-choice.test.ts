import type { Probe } from '@sightline/contract'
import { expect, test } from 'vitest'
import { bestProfile, cameraName } from './camera-choice.ts'

const profile = (codec: string, resolution: string | null): Probe['profiles'][number] => ({
  name: `${codec} ${resolution}`,
  codec,
  resolution,
  fps: 10,
  bitrate: null,
  stream_address: 'rtsp://192.0.2.1/stream',
})

test('the largest H.264 stream up to full HD is read', () => {
  const chosen = bestProfile([profile('h264', '640x480'), profile('h264', '3840x2160'), profile('h264', '1920x1080')])
  expect(chosen?.resolution).toBe('1920x1080')
})

test('a larger one is taken when there is nothing else, another codec never', () => {
  expect(bestProfile([profile('hevc', '1920x1080'), profile('H.264', '3840x2160')])?.resolution).toBe('3840x2160')
  expect(bestProfile([profile('hevc', '1920x1080')])).toBeNull()
})

test('a name is what the camera calls itself, without letters that names do not take', () => {
  expect(cameraName({ name: 'Gate #1 (north)', model: null, host: '192.0.2.1' }, [])).toBe('Gate 1 north')
  expect(cameraName({ name: null, model: 'DS-2CD', host: '192.0.2.1' }, [])).toBe('DS-2CD')
  expect(cameraName({ name: null, model: null, host: '192.0.2.1' }, [])).toBe('Camera 192 0 2 1')
  expect(cameraName({ name: '!', model: null, host: '192.0.2.1' }, [])).toBe('Camera')
})

test('a taken name gets the next free number', () => {
  expect(cameraName({ name: 'Lobby', model: null, host: '' }, ['Lobby', 'Lobby 2'])).toBe('Lobby 3')
})
