import { expect, test } from 'vitest'
import { endpointUuid } from './uuid.ts'

const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

test('an ONVIF id is its UUID, however it is written; what is no UUID is none', () => {
  for (const text of [uuid, uuid.toUpperCase(), `urn:uuid:${uuid}`, `URN:UUID:${uuid.toUpperCase()}`, ` {${uuid}} `])
    expect(endpointUuid(text)).toBe(uuid)
  for (const text of [null, '', 'DS-2CD2043G2-I20210101AAWR', 'urn:uuid:1', `${uuid}0`])
    expect(endpointUuid(text)).toBeNull()
})
