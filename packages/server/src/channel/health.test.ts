import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../testing/app.ts'
import { eventRecord } from '../testing/events.ts'
import { states } from '../testing/states.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())

type Told = { health: string; id: string }
const old = () => new Date(Date.now() - 600_000)

test('a site counts those analytics as needing attention whose own health says so, and lists them', async () => {
  const admin = await t.signIn('admin')
  const say = states(t.services.db)
  const customer = await t.make.customer()
  const site = await t.make.site({}, customer)
  const [edge, away] = [await t.make.nimble(), await t.make.nimble()]
  await say.nimble(edge, 'online')
  await say.nimble(away, 'unreachable', { cause: 'no_answer' })

  const streams = {
    fine: ['streaming', {}],
    silent: [null, {}],
    gone: ['offline', { cause: 'unreachable' }],
    broken: ['offline', { cause: 'cut', last_frame_at: new Date(), failed_at: null }],
    wrong: ['refused', { cause: 'not_h264' }],
    waits: ['connecting', { cause: 'bad_credentials' }],
  } as const
  const reports = {
    none: [null, {}],
    applied: ['applied', {}],
    counts: ['running', { since: old() }],
    begins: ['running', { since: new Date() }],
    mute: ['running', { since: old() }],
    modelless: ['applied', { detector_state: 'needs_model', cause: 'needs_model' }],
    heldBack: ['applied', { cause: 'faces_off' }],
    rough: ['running', { detector_state: 'degraded', cause: 'degraded:black', since: old() }],
    turned: ['running', { view: 'moved', since: new Date() }],
    turnedOff: ['stopped', { view: 'different' }],
    stopped: ['stopped', {}],
    refused: ['refused', { cause: 'model_missing' }],
  } as const
  for (const nimble of [edge, away])
    for (const [stream, about] of Object.values(streams)) {
      const device = await t.make.device({}, site, nimble)
      if (stream) await say.source((await t.make.sourceOf(device)) as never, stream, about)
      for (const [name, [state, more]] of Object.entries(reports)) {
        const channel = await t.make.channel({}, device)
        if (state) await say.channel(channel, state, more)
        if (name !== 'counts') continue
        const records = [eventRecord({ channel_id: channel.uid, observed_at: Date.now() - 1000 })]
        const { tenant_id: tenantId, nimble_id: nimbleId } = channel
        await t.services.events.write({ tenantId, nimbleId, records, receivedAt: new Date() })
      }
    }
  await t.services.events.settled()

  const all = (await admin.call('channel.list', { site_id: site.uid })).body.response.map(
    (one: { channel_id: string; channel_health: string }): Told => ({ id: one.channel_id, health: one.channel_health }),
  ) as Told[]
  const ill = all.filter(({ health }) => health === 'needs attention' || health === 'offline').map(({ id }) => id)
  expect(all).toHaveLength(2 * 6 * 12)
  expect(new Set(all.map(({ health }) => health))).toEqual(
    new Set(['healthy', 'needs attention', 'offline', 'unknown']),
  )

  const listed = async (more: object) => {
    const { body } = await admin.call('channel.mine', { needs_attention: true, ...more })
    return body.response.map(({ channel_id }: { channel_id: string }) => channel_id).toSorted()
  }
  expect(await listed({ site_id: site.uid })).toEqual(ill.toSorted())
  expect(await listed({ customer_id: customer.uid })).toEqual(ill.toSorted())
  expect(await listed({ customer_id: (await t.make.customer()).uid })).toEqual([])

  const [shown] = (await admin.call('site.list', { customer_id: customer.uid })).body.response
  expect(shown.site_attention_channels).toBe(ill.length)
  const { totals } = (await admin.call('customer.view', { customer_id: customer.uid, type: 1 })).body.response
  expect(totals.attention_channels).toBe(ill.length)
})
