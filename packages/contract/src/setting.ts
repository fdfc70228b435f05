import * as z from 'zod'
import { id, version } from './field.ts'
import { nimbleConfiguration } from './nimble.ts'
import { op } from './op.ts'

export const nimbleSetting = nimbleConfiguration.extend({ nimble_id: id, version }).meta({ id: 'NimbleSetting' })

/** The configuration of an edge server as one document: what `/nimble/config` holds field by field. */
export const setting = {
  nimbleGet: op({
    method: 'POST',
    path: '/setting/nimble/get',
    summary: 'The configuration of an edge server as one document',
    access: 'admin_and_above',
    reads: true,
    input: z.strictObject({ nimble_id: id }),
    output: nimbleSetting,
  }),
  nimbleSet: op({
    method: 'POST',
    path: '/setting/nimble/set',
    summary: 'Replace the configuration of an edge server',
    access: 'admin_and_above',
    input: nimbleSetting,
    output: nimbleSetting,
  }),
}
