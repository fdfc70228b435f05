import { expect, test } from 'vitest'
import { placeErrors } from './form-errors.ts'

const shownAt = { device_tags: 'tags', stream_address: 'address' }

test('an error below a field stands at the input that shows the field', () => {
  expect(placeErrors({ 'device_tags.floor': 'required', device_tags: 'too_many' }, shownAt)).toEqual({
    tags: 'required',
  })
  expect(placeErrors({ stream_address: 'address_scheme' }, shownAt)).toEqual({ address: 'address_scheme' })
})

test('an error of any other field stays where it is', () => {
  expect(placeErrors({ device_name: 'required', device_tagsx: 'invalid' }, shownAt)).toEqual({
    device_name: 'required',
    device_tagsx: 'invalid',
  })
})
