import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Refusal } from '../refusal.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { states } from '../testing/states.ts'
import { createRecovery, type RecoveryOptions } from './recovery.ts'

let t: TestApp
let asked: { uid: string; force: boolean }[]
let answer: () => void
let round: ReturnType<typeof createRecovery>
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.close())
beforeEach(() => {
  asked = []
  answer = () => undefined
  round = createRecovery(options())
})

const options = (): RecoveryOptions => ({
  db: t.services.db,
  log: { info: () => undefined, warn: () => undefined },
  // The edge server's end: what is asked of it.
  links: {
    status: () => ({ state: 'online' }) as never,
    channelDo: async (_nimble, uid, action, force) => {
      expect(action).toBe('revive')
      asked.push({ uid, force })
      answer()
    },
  },
})

const old = new Date(Date.now() - 10 * 60_000)

/** A channel that runs since ten minutes and has counted nothing since. */
async function silent(given: Parameters<TestApp['make']['channel']>[0] = {}) {
  const device = await t.make.device()
  const channel = await t.make.channel(given, device)
  const { nimble, source } = await t.services.db.owner(async (trx) => ({
    nimble: await trx.selectFrom('nimble').selectAll().where('id', '=', channel.nimble_id).executeTakeFirstOrThrow(),
    source: await trx.selectFrom('source').selectAll().where('id', '=', channel.source_id).executeTakeFirstOrThrow(),
  }))
  const report = states(t.services.db)
  await report.nimble(nimble, 'online', { since: old, journal_events: 0 })
  await report.source(source, 'streaming', { since: old })
  await report.channel(channel, 'running', { since: old })
  return { channel, report }
}
const askedOf = ({ uid }: { uid: string }) => asked.filter((one) => one.uid === uid).map(({ force }) => force)

test('a channel that runs without counting is started anew, then with its camera, and then ever less often', async () => {
  const { channel } = await silent()
  for (let i = 0; i < 3; i++) await round()
  expect(askedOf(channel)).toEqual([false])
  await round()
  expect(askedOf(channel)).toEqual([false, true])
  for (let i = 0; i < 4; i++) await round()
  expect(askedOf(channel)).toHaveLength(2)
  await round()
  expect(askedOf(channel)).toHaveLength(3)
})

test('one that is new, that waits for its owner, or whose auto recovery is off is left alone', async () => {
  const off = await silent({ auto_recovery: false })
  const needy = await silent()
  await needy.report.channel(needy.channel, 'applied', { detector_state: 'needs_model', since: old })
  const fresh = await silent()
  await fresh.report.channel(fresh.channel, 'running', { since: new Date() })
  await round()
  for (const { channel } of [off, needy, fresh]) expect(askedOf(channel)).toEqual([])
})

test('an edge server that refuses does not keep the others from being helped', async () => {
  const [first, second] = [await silent(), await silent()]
  answer = () => {
    if (asked.at(-1)?.uid === first.channel.uid) throw new Refusal(502, 'no', { code: 'channel_unknown' })
  }
  await round()
  expect(askedOf(first.channel)).toEqual([false])
  expect(askedOf(second.channel)).toEqual([false])
})

test('one that counts again is fresh when it falls silent later', async () => {
  const { channel } = await silent()
  await round()
  await t.make.event(channel, { observed_at: Date.now(), kind: 'window', observed_ms: 5000 })
  await round()
  await t.services.db.owner((trx) => trx.deleteFrom('event_1m').where('channel_id', '=', channel.id).execute())
  await round()
  expect(askedOf(channel)).toEqual([false, false])
})

test('when more are silent than one round can help, each has its turn before any has a second', async () => {
  const all = [await silent(), await silent(), await silent(), await silent(), await silent()]
  round = createRecovery({ ...options(), most: 2 })
  await t.services.db.owner((trx) =>
    trx
      .updateTable('channel')
      .set({ auto_recovery: false })
      .where(
        'uid',
        'not in',
        all.map(({ channel }) => channel.uid),
      )
      .execute(),
  )
  for (let i = 0; i < 3; i++) {
    await round()
    expect(asked.length).toBeLessThanOrEqual(2 * (i + 1))
  }
  for (const { channel } of all) expect(askedOf(channel)).toEqual([false])
})

test('a portal that stops begins no further attempt', async () => {
  for (let i = 0; i < 9; i++) await silent()
  const stopping = new AbortController()
  answer = () => stopping.abort()
  await round(stopping.signal)
  // As many as are under way at once.
  expect(asked.length).toBeLessThanOrEqual(8)
})
