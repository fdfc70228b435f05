/** One valid call of every operation, for the tests that are made from the table. */
import type { OpId } from '@sightline/contract'
import { bundleUid, usecaseUid } from '../db/seed.ts'
import { newUid } from '../uid.ts'
import type { Factories } from './factories.ts'

/** Public ids of an organization's things. */
export type World = Record<
  | 'organization'
  | 'user'
  | 'session'
  | 'customer'
  | 'site'
  | 'license'
  | 'nimble'
  | 'device'
  | 'source'
  | 'zone'
  | 'pipeline'
  | 'channel'
  | 'event'
  | 'job'
  | 'media'
  | 'model'
  | 'face'
  | 'picture',
  string
>

/** An organization with one of everything. */
export async function makeWorld(make: Factories): Promise<World & { tenantId: number }> {
  const organization = await make.organization()
  const { tenant_id } = organization
  const user = await make.user('viewer', {}, organization)
  const customer = await make.customer({}, organization)
  const site = await make.site({}, customer)
  const license = await make.license(organization)
  const nimble = await make.nimble({}, organization)
  const device = await make.device({}, site, nimble)
  const source = await make.source({}, device)
  const channel = await make.channel({}, device)
  const zone = await make.zoneOf(channel)
  const { event_uuid } = await make.event(channel)
  const pipeline = await make.pipeline('pplcnt', nimble)
  const session = await make.session(user)
  const job = await make.job(user)
  const media = await make.media({ site_id: site.id }, organization)
  const model = await make.model({}, organization)
  const face = await make.face(site)
  const picture = await make.facePicture(face)
  return {
    tenantId: tenant_id,
    organization: organization.uid,
    user: user.uid,
    session: session.uid,
    customer: customer.uid,
    site: site.uid,
    license: license.uid,
    nimble: nimble.uid,
    device: device.uid,
    source: source.uid,
    zone: zone.uid,
    pipeline: pipeline.uid,
    channel: channel.uid,
    event: event_uuid,
    job: job.uid,
    media: media.uid,
    model: model.uid,
    face: face.uid,
    picture: picture.uid,
  }
}

/** Ids that nothing has. */
export const nowhere = (): World => ({
  organization: newUid(),
  user: newUid(),
  session: newUid(),
  customer: newUid(),
  site: newUid(),
  license: newUid(),
  nimble: newUid(),
  device: newUid(),
  source: newUid(),
  zone: newUid(),
  pipeline: newUid(),
  channel: newUid(),
  event: newUid(),
  job: newUid(),
  media: newUid(),
  model: newUid(),
  face: newUid(),
  picture: newUid(),
})

const password = 'Correct-Horse-7'
let count = 0
const person = () => {
  const username = `sampled.${++count}`
  return {
    firstname: 'Ada',
    lastname: 'Sample',
    email: `${username}@example.org`,
    username,
    password,
    confirm_password: password,
  }
}
const name = (word: string) => `${word} sample ${++count}`
export const triangleZone = {
  points: [
    [0.1, 0.1],
    [0.9, 0.1],
    [0.9, 0.9],
  ],
  aspect_ratio: 1.78,
}
const stream = 'rtsp://198.51.100.77:554/stream1'

/** Input of every operation; one that is missing here does not compile. Each names the ids of `world` it may name. */
export const samples: { [Id in OpId]: (world: World) => object } = {
  'acl.list': () => ({}),
  'auth.login': () => ({ username: 'nobody.at.all', password }),
  'auth.logout': () => ({}),
  'bundle.defaultsGet': () => ({ bundle_usecase: 'pplcnt' }),
  'bundle.list': () => ({ type: 'people' }),
  'bundle.defaultsSet': () => ({ bundle_usecase: 'pplcnt', defaults: { pipeline_elements: { 'decode.fps': 4 } } }),
  'channel.assign': (w) => ({ user_id: w.user, channel_id: [w.channel] }),
  'channel.unassign': (w) => ({ user_id: w.user, channel_id: [w.channel] }),
  'channel.revive': (w) => ({ channel_id: w.channel }),
  'channel.setOccupancy': (w) => ({ channel_id: w.channel, occupancy: 12 }),
  'channel.troubleshoot': (w) => ({ channel_id: w.channel }),
  'channel.create': (w) => ({
    channel_name: name('Channel'),
    device_id: w.device,
    source_id: w.source,
    usecase_key: 'pplcnt',
    zones: [triangleZone],
  }),
  'channel.list': (w) => ({ device_id: w.device }),
  'channel.mine': () => ({}),
  'channel.byNimble': (w) => ({ nimble_id: w.nimble }),
  'channel.copy': (w) => ({ channel_id: w.channel, to: [w.channel], settings: ['channel_threshold'] }),
  'channel.refactor': (w) => ({ channel_id: w.channel, source_id: w.source }),
  'channel.bySite': (w) => ({ site_id: w.site }),
  'channel.stats': (w) => ({ channel_id: [w.channel] }),
  'channel.id': (w) => ({ channel_id: w.channel }),
  'channel.status': (w) => ({ channel_id: w.channel }),
  'channel.usecase': (w) => ({ usecase_id: usecaseUid('pplcnt'), channel_id: w.channel }),
  'channel.update': (w) => ({ channel_id: w.channel, channel_name: name('Channel') }),
  'channel.delete': (w) => ({ channel_id: w.channel }),
  'channel.ondemand': (w) => ({ channel_id: w.channel }),
  'customer.create': (w) => ({ customer_name: name('Customer'), organization_id: w.organization }),
  'customer.list': (w) => ({ organization_id: w.organization }),
  'customer.get': (w) => ({ customer_id: w.customer }),
  'customer.update': (w) => ({ customer_id: w.customer, description: 'changed' }),
  'customer.destroy': (w) => ({ customer_id: w.customer }),
  'customer.view': (w) => ({ customer_id: w.customer, type: 1 }),
  'customer.bundle': (w) => ({ customer_id: w.customer }),
  'customer.assign': (w) => ({ user_id: w.user, customer_id: [w.customer] }),
  'customer.unassign': (w) => ({ user_id: w.user, customer_id: [w.customer] }),
  'customer.siteAssign': (w) => ({ customer_id: w.customer, site_id: [w.site] }),
  'customer.siteUnassign': (w) => ({ customer_id: w.customer, site_id: [w.site] }),
  'demo.start': () => ({ count: 1 }),
  'demo.list': () => ({}),
  'demo.stop': () => ({ dry_run: true }),
  'demo.fault': () => ({ UUID: 'x', fault: 'stall' }),
  'device.create': (w) => ({
    device_name: name('Camera'),
    site_id: w.site,
    nimble_id: w.nimble,
    stream_address: stream,
  }),
  'device.import': (w) => ({
    site_id: w.site,
    nimble_id: w.nimble,
    rows: [{ device_name: name('Camera'), stream_address: stream }],
  }),
  'device.move': (w) => ({ device_id: [w.device], nimble_id: w.nimble, dry_run: true }),
  'device.tag': (w) => ({ device_id: [w.device], key: 'floor', value: '2' }),
  'device.copy': (w) => ({ device_id: w.device, to: [w.device], settings: ['tags'] }),
  'device.discover': (w) => ({ nimble_id: w.nimble }),
  'device.probe': (w) => ({ nimble_id: w.nimble, address: stream }),
  'device.list': (w) => ({ site_id: w.site }),
  'device.get': (w) => ({ device_id: w.device }),
  'device.update': (w) => ({ device_id: w.device, device_name: name('Camera') }),
  'device.delete': (w) => ({ device_id: w.device }),
  'device.view': (w) => ({ device_id: w.device }),
  'event.range': (w) => ({ channel_id: w.channel, usecase_key: 'pplcnt' }),
  'event.histogram': (w) => ({ channel_id: w.channel }),
  'event.kept': (w) => ({ channel_id: w.channel }),
  'event.export': (w) => ({ channel_id: w.channel }),
  'event.evidence': (w) => ({ event_uuid: w.event }),
  'event.stats': (w) => ({ channel_id: w.channel, usecase_key: 'pplcnt' }),
  'event.id': (w) => ({ event_uuid: w.event }),
  'event.neighbours': (w) => ({ event_uuid: w.event }),
  'face.list': (w) => ({ site_id: w.site }),
  'face.create': (w) => ({ site_id: w.site, face_name: name('Face') }),
  'face.update': (w) => ({ face_id: w.face, face_name: name('Face') }),
  'face.renew': (w) => ({ face_id: w.face }),
  'face.delete': (w) => ({ face_id: w.face }),
  'face.addPicture': (w) => ({ face_id: w.face, file: 'no picture' }),
  'face.deletePicture': (w) => ({ picture_id: w.picture }),
  'face.read': (w) => ({ site_id: w.site }),
  'geo.zip': () => ({ country: 'CA', zip: 'H2X 1Y4' }),
  'instance.info': () => ({}),
  'instance.update': () => ({ name: 'Sightline' }),
  'job.get': (w) => ({ job_id: w.job }),
  'job.list': () => ({}),
  'job.cancel': (w) => ({ job_id: w.job }),
  'license.list': () => ({}),
  'license.create': (w) => ({
    license_name: name('Licence'),
    license_key: 'not a key',
    organization_id: w.organization,
  }),
  'license.issue': () => ({ customer: 'Sample', channels: 4 }),
  'license.update': (w) => ({ license_id: w.license, license_name: name('Licence') }),
  'license.delete': (w) => ({ license_id: w.license }),
  'live.open': (w) => ({ channel_id: w.channel }),
  'media.get': (w) => ({ id: w.media }),
  'model.list': () => ({}),
  // A path is whose who uploaded it: model.test.ts shows that others get the same answer as for none.
  'model.check': () => ({ path: '/api/v1/media/none' }),
  'model.create': () => ({
    model_name: name('Model'),
    path: '/api/v1/media/none',
    head: 'yolov8',
    labels: { 0: 'person' },
  }),
  'model.delete': (w) => ({ model_id: w.model }),
  'nimble.create': (w) => ({
    name: name('Edge'),
    address: '198.51.100.9',
    port: 7000,
    license_id: w.license,
    organization_id: w.organization,
  }),
  'nimble.list': () => ({}),
  'nimble.update': (w) => ({ nimble_id: w.nimble, name: name('Edge') }),
  'nimble.override': (w) => ({
    nimble_id: w.nimble,
    configuration: { name: name('Edge'), address: '198.51.100.9', port: 7001 },
  }),
  'nimble.sync': (w) => ({ nimble_id: w.nimble }),
  'nimble.enrol': (w) => ({ nimble_id: w.nimble }),
  'nimble.resend': (w) => ({ nimble_id: w.nimble }),
  'nimble.retry': (w) => ({ nimble_id: w.nimble }),
  'nimble.get': (w) => ({ nimble_id: w.nimble }),
  'nimble.status': (w) => ({ nimble_id: w.nimble }),
  'nimble.delete': (w) => ({ nimble_id: w.nimble }),
  'nimble.stats': (w) => ({ nimble_id: w.nimble }),
  'nimble.license': (w) => ({ nimble_id: w.nimble, license_id: w.license }),
  'nimble.test': () => ({ address: '198.51.100.9', port: 7000 }),
  'organization.create': () => ({ organization_name: name('Organization') }),
  'organization.list': () => ({}),
  'organization.update': (w) => ({ organization_id: w.organization, description: 'changed' }),
  'organization.delete': (w) => ({ organization_id: w.organization }),
  'pipeline.list': (w) => ({ nimble_id: w.nimble }),
  'pipeline.create': (w) => ({ pipeline_name: name('Pipeline'), nimble_id: w.nimble, pipeline_usecase: 'pplcnt' }),
  'pipeline.update': (w) => ({ pipeline_id: w.pipeline, pipeline_name: name('Pipeline') }),
  'pipeline.delete': (w) => ({ pipeline_id: w.pipeline }),
  'pipeline.defaults': () => ({ usecase_key: 'pplcnt' }),
  'pipeline.get': (w) => ({ pipeline_id: w.pipeline }),
  'pipeline.catalog': (w) => ({ nimble_id: w.nimble }),
  'pipeline.refresh': (w) => ({ nimble_id: w.nimble }),
  'role.privilegeList': () => ({}),
  'role.privilegeUpdate': () => ({ role_key: 'viewer', privileges: ['picture.clear', 'picture.unblur'] }),
  'setting.nimbleGet': (w) => ({ nimble_id: w.nimble }),
  'setting.nimbleSet': (w) => ({ nimble_id: w.nimble, name: name('Edge'), address: '198.51.100.9', port: 7002 }),
  'site.create': (w) => ({
    site_name: name('Site'),
    customer_id: w.customer,
    site_address: { site_timezone: 'America/Toronto' },
    organization_id: w.organization,
  }),
  'site.import': (w) => ({
    sites: [
      {
        site_name: name('Site'),
        customer_id: w.customer,
        site_address: { site_timezone: 'America/Toronto' },
        organization_id: w.organization,
      },
    ],
  }),
  'site.list': (w) => ({ customer_id: w.customer }),
  'site.map': (w) => ({ customer_id: w.customer }),
  'site.get': (w) => ({ site_id: w.site }),
  'site.update': (w) => ({ site_id: w.site, site_name: name('Site') }),
  'site.delete': (w) => ({ site_id: w.site }),
  'site.view': (w) => ({ site_id: w.site }),
  'site.health': (w) => ({ site_id: w.site }),
  'site.healthRule': (w) => ({ site_id: w.site, grace_minutes: 10 }),
  'site.assign': (w) => ({ user_id: w.user, site_id: [w.site] }),
  'site.unassign': (w) => ({ user_id: w.user, site_id: [w.site] }),
  'source.create': (w) => ({ source_name: name('Stream'), device_id: w.device, source_address: stream }),
  'source.update': (w) => ({ source_id: w.source, source_name: name('Stream') }),
  'source.delete': (w) => ({ source_id: w.source }),
  'source.mapping': (w) => ({ site_id: w.site }),
  'static.create': (w) => ({ source_id: w.source, channel_id: w.channel, ...triangleZone }),
  'static.list': (w) => ({ source_id: w.source }),
  'static.update': (w) => ({ static_id: w.zone, label: name('Door') }),
  'static.delete': (w) => ({ static_id: w.zone }),
  'status.get': () => ({}),
  'storage.data': (w) => ({ customer_id: w.customer, site_id: w.site, channel_id: w.channel }),
  'stream.open': () => ({}),
  'upload.create': () => ({}),
  'upload.public': () => ({}),
  'usecase.list': (w) => ({ channel_id: w.channel, bundle_id: bundleUid('people') }),
  'usecase.report': (w) => ({ site_id: [w.site] }),
  'usecase.get': () => ({ usecase_id: usecaseUid('pplcnt') }),
  'usecase.assign': (w) => ({ user_id: w.user, usecase_id: [usecaseUid('pplcnt')] }),
  'usecase.unassign': (w) => ({ customer_id: w.customer, usecase_id: [usecaseUid('pplcnt')], all: true }),
  'user.info': () => ({}),
  'user.register': () => person(),
  'user.create': (w) => ({ ...person(), organization_id: w.organization }),
  'user.list': () => ({}),
  'user.id': (w) => ({ user_id: w.user }),
  'user.update': (w) => ({ user_id: w.user, firstname: 'Changed' }),
  'user.delete': (w) => ({ user_id: w.user }),
  'user.configReplace': () => ({ ui_config: { dark: true } }),
  'user.config': (w) => ({ user_id: w.user }),
  'user.configUpdate': () => ({ ui_config: { dark: false } }),
  'user.password': () => ({ current: 'x', password, confirm_password: password }),
  'user.blur': () => ({}),
  'user.unblur': () => ({ reason: 'Theft at the entrance' }),
  'user.sessions': (w) => ({ user_id: w.user }),
  'user.sessionRevoke': (w) => ({ session_id: w.session }),
  'user.email': () => ({ email: 'nobody@example.org' }),
  'user.bySite': (w) => ({ site_id: w.site }),
}
