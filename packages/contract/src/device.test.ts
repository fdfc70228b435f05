import { expect, it } from 'vitest'
import { deviceDraft } from './device.ts'

const fault = (username: string) =>
  deviceDraft.shape.username.safeParse(username).error?.issues.map((issue) => issue.message)

it('takes any name of a camera user, but none that would begin a new line of a header', () => {
  for (const name of ['admin', 'Élodie O’Neil', 'a:b"c\\d', '']) expect(fault(name)).toBeUndefined()
  for (const name of ['a\r\nX: y', 'a\nb', 'a\u0000']) expect(fault(name)).toEqual(['invalid'])
})
