import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { customerDraft, deviceDraft } from './index.ts'
import { fieldErrors, issueId } from './issue.ts'

const errorsOf = (schema: z.ZodType, value: unknown) => {
  const parsed = z.safeParse(schema, value, { error: issueId })
  return parsed.success ? {} : fieldErrors(parsed.error)
}

describe('what is wrong is said per field, by message id', () => {
  test.each([
    ['an empty name', customerDraft, { customer_name: '' }, { customer_name: ['required'] }],
    ['no name', customerDraft, {}, { customer_name: ['required'] }],
    ['markup', customerDraft, { customer_name: '<b>x</b>' }, { customer_name: ['name_characters'] }],
    ['a leading space', customerDraft, { customer_name: ' xx' }, { customer_name: ['no_leading_space'] }],
    ['an unknown property', customerDraft, { customer_name: 'xx', colour: 1 }, { colour: ['unknown_property'] }],
    [
      'a nested field',
      customerDraft,
      { customer_name: 'xx', customer_address: { customer_zip: '!', more: 1 } },
      { 'customer_address.customer_zip': ['zip_invalid'], 'customer_address.more': ['unknown_property'] },
    ],
    ['another type', z.strictObject({ n: z.number() }), { n: 'one' }, { n: ['type:number'] }],
    ['too few items', z.strictObject({ a: z.array(z.string()).min(2) }), { a: [] }, { a: ['at_least_items:2'] }],
    ['too small a number', z.strictObject({ n: z.number().min(3) }), { n: 1 }, { n: ['at_least:3'] }],
    ['no such choice', z.strictObject({ e: z.enum(['a']) }), { e: 'b' }, { e: ['one_of'] }],
    ['not an id', z.strictObject({ i: z.uuid() }), { i: 'x' }, { i: ['id_invalid'] }],
  ] as const)('%s', (_, schema, value, errors) => {
    expect(errorsOf(schema, value)).toEqual(errors)
  })
})

test('of a union, the branch that was meant complains', () => {
  const oneOrMany = z.union([deviceDraft, z.array(deviceDraft)])
  expect(errorsOf(oneOrMany, [{ site_id: 'x' }])).toMatchObject({
    '0.device_name': ['required'],
    '0.site_id': ['id_invalid'],
  })
  expect(errorsOf(oneOrMany, { site_id: 'x' })).toMatchObject({ device_name: ['required'] })
})
