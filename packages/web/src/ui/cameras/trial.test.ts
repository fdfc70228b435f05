import { expect, test } from 'vitest'
import { addressToSave, isTrialOf } from './trial.ts'

const a = 'http://10.0.0.1/onvif/device_service'
const stream = 'rtsp://10.0.0.1/main'

test('the stream that a trial found is saved while its camera is the one that is typed', () => {
  expect(addressToSave({ address: a, stream_address: stream, stream_of: a })).toBe(stream)
  expect(addressToSave({ address: ` ${a} `, stream_address: stream, stream_of: a })).toBe(stream)
})

test('an address typed after the trial of another is the one that is saved', () => {
  expect(addressToSave({ address: 'rtsp://10.0.0.2/main', stream_address: stream, stream_of: a })).toBe(
    'rtsp://10.0.0.2/main',
  )
  expect(addressToSave({ address: 'rtsp://10.0.0.2/main', stream_address: '', stream_of: '' })).toBe(
    'rtsp://10.0.0.2/main',
  )
})

test('a verdict goes with the address, user, password or edge server it was about', () => {
  const asked = { nimble_id: 'n', address: a, username: null, password: 'secret' }
  expect(isTrialOf(asked, { ...asked, username: '', address: `${a} ` })).toBe(true)
  expect(isTrialOf(asked, { ...asked, address: stream }, [stream])).toBe(true)
  for (const change of [{ nimble_id: 'm' }, { address: stream }, { username: 'root' }, { password: '' }])
    expect(isTrialOf(asked, { ...asked, ...change })).toBe(false)
})
