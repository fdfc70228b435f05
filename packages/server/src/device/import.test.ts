import type { ImportOutcome } from '@sightline/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { until } from '../testing/until.ts'

let t: TestApp
let admin: Client
let nimble: Awaited<ReturnType<TestApp['make']['nimble']>>
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  nimble = await t.make.nimble()
})
afterAll(() => t.close())

let count = 0
const row = (more: object = {}) => {
  count += 1
  const address = `rtsp://10.${count >> 16}.${(count >> 8) & 255}.${count & 255}/main`
  return { device_name: `Imported ${count}`, stream_address: address, ...more }
}
type Site = { uid: string }
const send = (site: Site, rows: object[], dry_run = false, client = admin) =>
  client.call('device.import', { site_id: site.uid, nimble_id: nimble.uid, rows, dry_run })
const dry = async (site: Site, rows: object[]): Promise<ImportOutcome[]> =>
  (await send(site, rows, true)).body.response.rows
/** Imports and waits for the end of the job. */
async function run(site: Site, rows: object[]): Promise<ImportOutcome[]> {
  const { body } = await send(site, rows)
  const job = async () => (await admin.call('job.get', { job_id: body.response.job_id })).body.response
  await until(async () => (await job()).state === 'completed', 'the import ends')
  return (await job()).result.rows
}
const outcomes = (rows: ImportOutcome[]) => rows.map(({ outcome }) => outcome)
const devicesOf = async (site: Site) => (await admin.call('device.list', { site_id: site.uid })).body.response

describe('a table of cameras', () => {
  test('30 rows with 4 bad ones: all faults at once by row and column, and nothing written; then 26 cameras', async () => {
    const site = await t.make.site()
    const rows: object[] = Array.from({ length: 30 }, () => row())
    rows[3] = row({ device_name: '' })
    rows[9] = row({ stream_address: 'http://10.0.0.1/' })
    rows[15] = row({ stream_address: 'rtsp://169.254.169.254/latest', onvif_port: '99999' })
    rows[21] = row({ site_name: 'Nowhere', nimble_name: 'Nobody', device_tags: 'floor' })
    const bad = {
      3: { device_name: ['required'] },
      9: { stream_address: ['stream_address'] },
      15: { onvif_port: ['port_invalid'] },
      21: { site_name: ['not_found'], nimble_name: ['not_found'], device_tags: ['tags_form'] },
    }
    const faults = (found: ImportOutcome[]) =>
      Object.fromEntries(found.filter(({ outcome }) => outcome === 'failed').map(({ row, errors }) => [row, errors]))

    const planned = await dry(site, rows)
    expect(faults(planned)).toEqual(bad)
    expect(outcomes(planned).filter((outcome) => outcome === 'valid')).toHaveLength(26)
    expect(await devicesOf(site)).toEqual([])

    const done = await run(site, rows)
    expect(faults(done)).toEqual(bad)
    const made = await devicesOf(site)
    expect(made).toHaveLength(26)
    expect(done.flatMap(({ device_id }) => device_id ?? []).sort()).toEqual(
      made.map((device: { device_id: string }) => device.device_id).sort(),
    )
  })

  test('a row whose password a file left out is no camera without one: the password is asked for', async () => {
    const site = await t.make.site()
    const [left, without] = await dry(site, [
      row({ username: 'viewer', password: '****' }),
      row({ username: 'viewer' }),
    ])
    expect(left).toMatchObject({ outcome: 'failed', errors: { password: ['password_left_out'] } })
    expect(without?.outcome).toBe('valid')
  })

  test('sent again adds nothing; with one row more, that one', async () => {
    const site = await t.make.site()
    const rows: object[] = [row({ UUID: 'urn:uuid:3fa85f64-5717-4562-b3fc-2c963f66afa6' }), row(), row()]
    await run(site, rows)
    expect(outcomes(await run(site, rows))).toEqual(['skipped', 'skipped', 'skipped'])
    expect(outcomes(await run(site, [...rows, row()]))).toEqual(['skipped', 'skipped', 'skipped', 'created'])
    // The same camera at another address.
    const again = row({ UUID: '3FA85F64-5717-4562-B3FC-2C963F66AFA6' })
    expect(outcomes(await dry(site, [again]))).toEqual(['skipped'])
    expect(await devicesOf(site)).toHaveLength(4)
  })

  test('one stream is one camera, with its port or without, in either case of its host', async () => {
    const site = await t.make.site()
    const there = row({ stream_address: 'rtsp://Gate.cameras.example/main' })
    expect(outcomes(await run(site, [there]))).toEqual(['created'])
    const found = await dry(site, [
      row({ stream_address: 'rtsp://gate.CAMERAS.example:554/main' }),
      row({ stream_address: 'rtsp://gate.cameras.example:8554/main' }),
      row({ stream_address: 'rtsp://GATE.cameras.example:8554/main' }),
    ])
    expect(found.map(({ outcome, errors }) => [outcome, errors])).toEqual([
      ['skipped', {}],
      ['valid', {}],
      ['failed', { stream_address: ['row_twice:2'] }],
    ])
  })

  test('an ONVIF id that is none is told of under its column', async () => {
    const [found] = await dry(await t.make.site(), [row({ UUID: 'DS-2CD2043G2-0815' })])
    expect(found).toMatchObject({ outcome: 'failed', errors: { UUID: ['endpoint_invalid'] } })
  })

  test('twice the same: the second says where the first is; a name that is taken says so', async () => {
    const site = await t.make.site()
    const [first, other] = [row(), row()]
    await run(site, [other])
    const found = await dry(site, [
      first,
      { ...row(), stream_address: first.stream_address },
      row({ device_name: first.device_name.toUpperCase() }),
      row({ device_name: other.device_name }),
    ])
    expect(found.map(({ errors }) => errors)).toEqual([
      {},
      { stream_address: ['row_twice:1'] },
      { device_name: ['name_taken'] },
      { device_name: ['name_taken'] },
    ])
  })

  test('a stream to look at comes with its camera, and is told of under its own column', async () => {
    const site = await t.make.site()
    const live_address = 'rtsp://192.168.77.1/small'
    expect(outcomes(await run(site, [row({ live_address })]))).toEqual(['created'])
    expect((await devicesOf(site))[0]).toMatchObject({
      device_source: [{ role: 'analytics' }, { role: 'live', source_address: live_address }],
    })
    const found = await dry(site, [row({ live_address: 'rtsp://127.0.0.1/x' }), row({ live_address: 'small' })])
    expect(found.map(({ errors }) => errors)).toEqual([
      { live_address: ['address_refused'] },
      { live_address: ['stream_address'] },
    ])
    const [bad] = await dry(site, [row({ live_address, stream_address: 'nowhere', device_name: '' })])
    expect(bad?.errors).toEqual({ device_name: ['required'], stream_address: ['stream_address'] })
  })

  test('names sites and edge servers of the organization; what two customers call alike is asked back', async () => {
    const [site, other] = [await t.make.site(), await t.make.site({ name: 'Warehouse North' })]
    const edge = await t.make.nimble()
    await t.make.site({ name: 'Lobby' }, await t.make.customer())
    await t.make.site({ name: 'Lobby' }, await t.make.customer())
    const stranger = await t.make.site({ name: 'Elsewhere' }, await t.make.customer({}, await t.make.organization()))
    const [, created] = [
      await run(site, [
        row({ site_name: 'WAREHOUSE north', nimble_name: edge.name, device_tags: 'floor=two; side=east' }),
      ]),
      await devicesOf(other),
    ]
    expect(created).toMatchObject([{ nimble_id: edge.uid, device_tags: { floor: 'two', side: 'east' } }])
    const found = await dry(site, [row({ site_name: 'Lobby' }), row({ site_name: stranger.name })])
    expect(found.map(({ errors }) => errors.site_name)).toEqual([['name_ambiguous'], ['not_found']])
  })

  test('keeps passwords out of answers, jobs and traces', async () => {
    const site = await t.make.site()
    const { body, text } = await send(site, [row({ username: 'ops', password: 'planted-Secret-9' })])
    const { text: job } = await admin.call('job.get', { job_id: body.response.job_id })
    const { rows: stored } = await t.services.db.owner(async (trx) => ({
      rows: [
        ...(await trx.selectFrom('job').selectAll().execute()),
        ...(await trx.selectFrom('trace').selectAll().execute()),
      ],
    }))
    for (const place of [text, job, JSON.stringify(stored)]) expect(place).not.toContain('planted-Secret-9')
  })

  test('by two people at once: every camera once, and each row says how it ended', async () => {
    const site = await t.make.site()
    const rows = Array.from({ length: 20 }, () => row())
    const [a, b] = await Promise.all([run(site, rows), run(site, rows)])
    expect(await devicesOf(site)).toHaveLength(20)
    for (const [i] of rows.entries())
      expect([a[i]?.outcome, b[i]?.outcome].filter((outcome) => outcome === 'created')).toHaveLength(1)
  })

  test('whose site is deleted meanwhile loses the rows of that site alone', async () => {
    const [site, doomed] = [await t.make.site(), await t.make.site({ name: 'Doomed' })]
    const rows = [...Array.from({ length: 30 }, () => row()), row({ site_name: 'Doomed' }), row()]
    const sent = send(site, rows)
    const [{ body }] = await Promise.all([sent, sent.then(() => admin.call('site.delete', { site_id: doomed.uid }))])
    const job = async () => (await admin.call('job.get', { job_id: body.response.job_id })).body.response
    await until(async () => ['completed', 'failed'].includes((await job()).state), 'the import ends')
    const { state, result } = await job()
    expect(state).toBe('completed')
    expect(outcomes(result.rows).filter((outcome) => outcome === 'created').length).toBeGreaterThanOrEqual(31)
    const last = result.rows[30] as ImportOutcome
    if (last.outcome === 'failed') expect(last.errors).toEqual({ device_name: ['not_found'] })
  })

  test('of more than a thousand rows, or none, is refused as a whole', async () => {
    const site = await t.make.site()
    expect((await send(site, [], true)).body.errors).toEqual({ rows: ['required'] })
    const many = Array.from({ length: 1001 }, () => ({ device_name: 'x' }))
    expect((await send(site, many, true)).body.errors).toEqual({ rows: ['at_most_items:1000'] })
  })
})
