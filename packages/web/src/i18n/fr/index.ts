import type { Catalogue } from '../catalogue.ts'
import { bulk } from './bulk.ts'
import { channel } from './channel.ts'
import { common, empty, errorPage, health, image, role, state, wizard } from './common.ts'
import { address, customer } from './customer.ts'
import { dashboard } from './dashboard.ts'
import { demo, deployment, move, pipeline, sync } from './deployment.ts'
import { copy, device, discover, resite, stream, swap } from './device.ts'
import { bundle, elements } from './elements.ts'
import { event } from './event.ts'
import { face } from './face.ts'
import { live, wall } from './live.ts'
import { login, register, support } from './login.ts'
import { message } from './message.ts'
import { model } from './model.ts'
import { license, nimble, status } from './nimble.ts'
import { onboarding } from './onboarding.ts'
import { organization } from './organization.ts'
import { people } from './people.ts'
import { clarity, privilege } from './privilege.ts'
import { profile } from './profile.ts'
import { screen, shell } from './shell.ts'
import { map, site } from './site.ts'
import { siteImport } from './site-import.ts'
import { chart, usecase } from './usecase.ts'
import { zones } from './zones.ts'

export { pairs } from './pairs.ts'

export const fr: Catalogue = {
  license,
  nimble,
  profile,
  status,
  address,
  bulk,
  bundle,
  clarity,
  customer,
  channel,
  chart,
  common,
  copy,
  dashboard,
  demo,
  deployment,
  device,
  discover,
  elements,
  event,
  face,
  empty,
  errorPage,
  health,
  image,
  live,
  login,
  map,
  message,
  model,
  move,
  onboarding,
  organization,
  people,
  pipeline,
  privilege,
  register,
  resite,
  role,
  screen,
  shell,
  site,
  siteImport,
  state,
  stream,
  support,
  swap,
  sync,
  usecase,
  wall,
  wizard,
  zones,
}
