import { acl } from './acl.ts'
import { auth } from './auth.ts'
import { channel } from './channel.ts'
import { customer } from './customer.ts'
import { demo } from './demo.ts'
import { deviceOps } from './device.ts'
import { event } from './event.ts'
import { face } from './face.ts'
import { geo } from './geo.ts'
import { instance } from './instance.ts'
import { job } from './job.ts'
import { license } from './license.ts'
import { live, stream } from './live.ts'
import { model } from './model.ts'
import { nimble } from './nimble.ts'
import type { Op } from './op.ts'
import { organization } from './organization.ts'
import { pipeline } from './pipeline.ts'
import { role } from './role.ts'
import { setting } from './setting.ts'
import { site } from './site.ts'
import { source } from './source.ts'
import { zones } from './static.ts'
import { status } from './status.ts'
import { storage } from './storage.ts'
import { media, upload } from './upload.ts'
import { bundle, usecase } from './usecase.ts'
import { userOps } from './user.ts'

/** Every operation of the portal, by feature. The key of a row is its id: `customer.create`. */
export const api = {
  acl,
  auth,
  bundle,
  channel,
  customer,
  demo,
  device: deviceOps,
  event,
  face,
  geo,
  instance,
  job,
  license,
  live,
  media,
  model,
  nimble,
  organization,
  pipeline,
  role,
  setting,
  site,
  source,
  static: zones,
  status,
  storage,
  stream,
  upload,
  usecase,
  user: userOps,
} as const satisfies Record<string, Record<string, Op>>
export type Api = typeof api
export type OpId = { [F in keyof Api & string]: `${F}.${keyof Api[F] & string}` }[keyof Api & string]

export * from './acl.ts'
export * from './address.ts'
export * from './assign.ts'
export * from './auth.ts'
export * from './channel.ts'
export * from './customer.ts'
export * from './demo.ts'
export * from './device.ts'
export * from './event.ts'
export * from './face.ts'
export * as field from './field.ts'
export * from './geo.ts'
export * from './health.ts'
export * from './import.ts'
export * from './instance.ts'
export * from './issue.ts'
export * from './job.ts'
export * from './license.ts'
export * from './live.ts'
export * from './model.ts'
export * from './nimble.ts'
export * from './op.ts'
export * from './organization.ts'
export * from './pipeline.ts'
export * from './role.ts'
export * from './setting.ts'
export * from './site.ts'
export * from './source.ts'
export * from './static.ts'
export * from './status.ts'
export * from './storage.ts'
export * from './upload.ts'
export * from './usecase.ts'
export * from './user.ts'
