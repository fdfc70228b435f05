import type { Device, Probe } from '@sightline/contract'
import { describe, expect, test } from 'vitest'
import {
  bestProfile,
  cameraName,
  cameraNames,
  endpointAt,
  isAtHost,
  liveProfiles,
  movesOthers,
  onvifPortOf,
  streamsToAdd,
  swappedStreams,
  withHeard,
} from './camera-choice.ts'

const profile = (codec: string, resolution: string | null): Probe['profiles'][number] => ({
  name: `${codec} ${resolution}`,
  codec,
  resolution,
  fps: 10,
  bitrate: null,
  stream_address: 'rtsp://192.0.2.1/stream',
})

test('a camera that is heard again stays in its place with what it says now, new ones come after', () => {
  const one = (UUID: string | null, xaddr: string, name = '') => ({ UUID, xaddr, name })
  const earlier = [one('a', 'http://192.0.2.1/'), one(null, 'http://192.0.2.2/'), one('c', 'http://192.0.2.3/')]
  const heard = [one('d', 'http://192.0.2.4/'), one('c', 'http://192.0.2.9/', 'again'), one(null, 'http://192.0.2.2/')]
  expect(withHeard(earlier, heard)).toEqual([earlier[0], heard[2], heard[1], heard[0]])
  expect(withHeard([], heard)).toEqual(heard)
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

test('a taken name gets the next free number, whatever its case', () => {
  expect(cameraName({ name: 'Lobby', model: null, host: '' }, ['Lobby', 'Lobby 2'])).toBe('Lobby 3')
  expect(cameraName({ name: 'IPCAM', model: null, host: '' }, ['ipcam'])).toBe('IPCAM 2')
})

test('found cameras get one name each, beside those that somebody typed', () => {
  const found = ['1', '2', '3'].map((host) => ({ name: 'IPCAM', model: null, host }))
  const names = cameraNames(found, ({ host }) => host, { 3: 'ipcam 2' }, ['Ipcam'])
  expect([...names].toSorted()).toEqual([
    ['1', 'IPCAM 3'],
    ['2', 'IPCAM 4'],
    ['3', 'ipcam 2'],
  ])
})

test('the ONVIF id of other hardware takes the place of the former one', () => {
  const old = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
  const device = { UUID: `urn:uuid:${old}`, device_source: [{ source_address: 'rtsp://192.0.2.1/1' }] } as Device
  expect(endpointAt('rtsp://192.0.2.1/2', device, null)).toBe(old)
  expect(endpointAt('rtsp://192.0.2.1/2', device, { UUID: null })).toBe(old)
  expect(endpointAt('rtsp://192.0.2.1/2', device, { UUID: 'new' })).toBe('new')
  expect(endpointAt('rtsp://192.0.2.2/1', device, { UUID: null })).toBeNull()
})

test('to look at, the other H.264 streams are offered, the smallest first', () => {
  const at = (address: string, ...of: [string, string]) => ({ ...profile(...of), stream_address: address })
  const offered = [at('/1', 'h264', '1920x1080'), at('/2', 'h264', '704x576'), at('/3', 'h265', '352x288')]
  expect(liveProfiles([...offered, at('/4', 'h264', '640x360')], '/1').map((one) => one.stream_address)).toEqual([
    '/4',
    '/2',
  ])
})

test('one stream is what the address of a camera says; with another to look at both are named', () => {
  const names = { main: 'Main', live: 'Small' }
  expect(streamsToAdd({ main: '/1', live: '' }, names)).toBeUndefined()
  expect(streamsToAdd({ main: '/1', live: '/2' }, names)).toEqual([
    { source_name: 'Main', source_address: '/1', role: 'analytics' },
    { source_name: 'Small', source_address: '/2', role: 'live' },
  ])
})

test('the port of an ONVIF service is known where its address was typed', () => {
  expect(onvifPortOf(' http://192.0.2.1:8000/onvif/device_service')).toBe(8000)
  expect(onvifPortOf('http://192.0.2.1')).toBe(80)
  expect(onvifPortOf('rtsp://192.0.2.1:554/1')).toBeNull()
})

test('an address is at a host of the camera, however it is written; one that is being typed is nowhere else', () => {
  const camera = { device_source: [{ source_address: 'rtsp://Cam.lan/1' }] } as Device
  for (const address of ['rtsp://cam.LAN:8554/2', 'http://cam.lan', 'rtsp:/', ''])
    expect(isAtHost(address, camera)).toBe(true)
  for (const address of ['rtsp://cam2.lan/1', 'http://192.0.2.1/']) expect(isAtHost(address, camera)).toBe(false)
})

test('the streams at the place of the default go along with its address, and no others', () => {
  const streams = (...addresses: string[]) => ({
    device_source: addresses.map((source_address, i) => ({
      ...{ source_id: String(i), rate: 25, source_name: `Stream ${i}`, source_address, role: 'both' as const },
    })),
  })
  const together = streams('rtsp://192.0.2.1/1', 'rtsp://192.0.2.1:554/2')
  expect(movesOthers('rtsp://192.0.2.2/1', together)).toBe(true)
  expect(movesOthers('rtsp://192.0.2.1:8554/1', together)).toBe(true)
  for (const address of ['rtsp://192.0.2.1:554/3', '', 'rtsp:']) expect(movesOthers(address, together)).toBe(false)
  expect(movesOthers('rtsp://192.0.2.2/1', streams('rtsp://192.0.2.1/1', 'rtsp://192.0.2.1:8554/2'))).toBe(false)
  expect(movesOthers('rtsp://192.0.2.2/1', streams('rtsp://192.0.2.1/1'))).toBe(false)
})

describe('streams of a camera in whose place another comes', () => {
  const stream = (source_id: string, role: 'analytics' | 'live' | 'both') => ({
    ...{ source_id, role, rate: 25, source_name: `Stream ${source_id}` },
    source_address: `rtsp://192.0.2.1/${source_id}`,
  })
  const camera = (streams: Device['device_source'], ...used: string[]) =>
    ({ device_source: streams, source_channels: used.map((source_id) => ({ source_id })) }) as Device
  const swapped = (device: Device, live: string) => {
    const { streams, gone } = swappedStreams(device, { main: 'rtsp://192.0.2.2/1', live }, 'Small')
    // None may lead to the old camera.
    for (const { source_address } of streams) expect(source_address).toMatch(/^rtsp:\/\/192\.0\.2\.2\//)
    return {
      streams: streams.map((one) => [
        'source_id' in one ? one.source_id : 'new',
        one.role,
        one.source_address.replace('rtsp://192.0.2.2/', ''),
      ]),
      gone: gone.map(({ source_id }) => source_id),
    }
  }
  const sub = 'rtsp://192.0.2.2/2'

  test('the default reads the main stream, the one to look at the small one', () => {
    const two = camera([stream('a', 'analytics'), stream('b', 'live')], 'a')
    expect(swapped(two, sub)).toEqual({
      streams: [
        ['a', 'analytics', '1'],
        ['b', 'live', '2'],
      ],
      gone: [],
    })
  })

  test('what the new camera has not goes, unless analytics run on it', () => {
    const two = [stream('a', 'analytics'), stream('b', 'live')]
    expect(swapped(camera(two, 'a'), '')).toEqual({ streams: [['a', 'analytics', '1']], gone: ['b'] })
    expect(swapped(camera(two, 'a', 'b'), '')).toEqual({
      streams: [
        ['a', 'analytics', '1'],
        ['b', 'live', '1'],
      ],
      gone: [],
    })
  })

  test('a camera with one stream gets one to look at where it is wanted', () => {
    const one = camera([stream('a', 'both')], 'a')
    expect(swapped(one, sub)).toEqual({
      streams: [
        ['a', 'both', '1'],
        ['new', 'live', '2'],
      ],
      gone: [],
    })
    expect(swapped(one, '')).toEqual({ streams: [['a', 'both', '1']], gone: [] })
    // Four are the most, and one alone is for looking at.
    const four = ['a', 'b', 'c', 'd'].map((id) => stream(id, 'both'))
    expect(swapped(camera(four, 'a', 'b', 'c', 'd'), sub).streams).toHaveLength(4)
    expect(swapped(camera([stream('a', 'live')], 'a'), sub).streams).toEqual([['a', 'live', '1']])
  })
})
