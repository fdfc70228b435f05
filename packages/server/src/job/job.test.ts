import type { StreamMessage } from '@sightline/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../scope.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { openStream, type TestSocket } from '../testing/socket.ts'

let t: TestApp
let admin: Client
let owner: Principal
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
  owner = { tenantId: admin.user?.tenant_id, userId: admin.user?.id } as Principal
})
afterAll(() => t.close())

/** Work that a test holds in its hands. */
function work() {
  const begun = Promise.withResolvers<Parameters<Parameters<TestApp['services']['jobs']['run']>[3]>[0]>()
  const end = Promise.withResolvers<void>()
  const id = t.services.jobs.run(owner, 'test.work', {}, (job) => {
    begun.resolve(job)
    job.signal.addEventListener('abort', () => end.resolve())
    return end.promise
  })
  return { id, begun: begun.promise, end }
}
const read = async (job_id: string) => (await admin.call('job.get', { job_id })).body.response
const ended = async (socket: TestSocket<StreamMessage>, id: string, state: string) =>
  socket.message((message) => message.type === 'job' && message.job_id === id && message.state === state)

test('progress is told live to its owner alone, and stored', async () => {
  const socket = await openStream(t, admin)
  const other = await openStream(t, await t.signIn('admin'))
  const job = work()
  const id = await job.id
  const handle = await job.begun
  for (let done = 1; done <= 20; done++) handle.report({ done, total: 20, result: { found: done } })
  await socket.message((message) => message.type === 'job' && message.done === 20)
  job.end.resolve()
  await ended(socket, id, 'completed')
  expect(await read(id)).toMatchObject({
    kind: 'test.work',
    state: 'completed',
    done: 20,
    total: 20,
    result: { found: 20 },
  })
  expect(other.messages.filter((message) => message.type === 'job')).toEqual([])
  expect((await admin.call('job.list')).body.response[0].job_id).toBe(id)
  await Promise.all([socket.close(), other.close()])
})

test('cancelling stops the work', async () => {
  const job = work()
  const id = await job.id
  const { signal } = await job.begun
  const { body } = await admin.call('job.cancel', { job_id: id })
  expect(body.response).toMatchObject({ job_id: id, state: 'cancelled' })
  expect(signal.aborted).toBe(true)
  expect(await read(id)).toMatchObject({ state: 'cancelled' })
})

test('a job that is cancelled says no more, whatever its work still reports', async () => {
  const socket = await openStream(t, admin)
  const job = work()
  const id = await job.id
  const handle = await job.begun
  handle.signal.addEventListener('abort', () => handle.report({ done: 7, total: 20, result: null }))
  await admin.call('job.cancel', { job_id: id })
  handle.report({ done: 8, total: 20, result: null })
  const behind = work()
  const behindId = await behind.id
  behind.end.resolve()
  await ended(socket, behindId, 'completed')
  const said = socket.messages.filter((message) => message.type === 'job' && message.job_id === id)
  expect(said.at(-1)).toMatchObject({ state: 'cancelled' })
  // The end itself may tell what was found until then.
  expect(said.filter((message) => message.type === 'job' && message.state === 'running' && message.done)).toEqual([])
  await socket.close()
})

test('a storm of one kind takes turns, whatever else goes on beside it, also of that kind elsewhere', async () => {
  let begun = 0
  const end = Promise.withResolvers<void>()
  const stormy = () =>
    t.services.jobs.run(owner, 'test.storm', {}, () => {
      begun += 1
      return end.promise
    })
  const storm = await Promise.all(Array.from({ length: 21 }, stormy))
  const last = await stormy()
  const { tenant_id: tenantId, id: userId } = await t.make.user('admin', {}, await t.make.organization())
  const elsewhere = Promise.withResolvers<void>()
  await t.services.jobs.run({ tenantId, userId } as Principal, 'test.storm', {}, async () => elsewhere.resolve())
  const other = work()
  await Promise.all([other.id, other.begun, elsewhere.promise])
  expect(begun).toBe(16)
  expect(await read(last)).toMatchObject({ state: 'queued' })
  // One that is cancelled before its turn never begins.
  expect((await admin.call('job.cancel', { job_id: last })).body.response).toMatchObject({ state: 'cancelled' })
  end.resolve()
  other.end.resolve()
  for (const id of storm) await expect.poll(() => read(id)).toMatchObject({ state: 'completed' })
  expect([begun, await read(last)]).toEqual([21, expect.objectContaining({ state: 'cancelled' })])
})

test('what goes wrong ends the job, without telling more than a stable id', async () => {
  const socket = await openStream(t, admin)
  const job = work()
  const id = await job.id
  job.end.reject(new Error('secret detail'))
  await ended(socket, id, 'failed')
  expect(await read(id)).toMatchObject({ state: 'failed', error: 'internal' })
  await socket.close()
})

test('another’s job is 404', async () => {
  const job = work()
  const id = await job.id
  const other = await t.signIn('super_admin')
  expect((await other.call('job.get', { job_id: id })).status).toBe(404)
  expect((await other.call('job.cancel', { job_id: id })).status).toBe(404)
  job.end.resolve()
})

test('what a portal that died left unfinished is marked as failed, what another one works on is not', async () => {
  const left = (heartbeat_at: Date) =>
    t.services.db.owner((trx) =>
      trx
        .insertInto('job')
        .values({
          tenant_id: owner.tenantId,
          uid: crypto.randomUUID(),
          kind: 'test.work',
          state: 'running',
          created_by: owner.userId,
          total: null,
          result: null,
          error: null,
          heartbeat_at,
        })
        .returning('uid')
        .executeTakeFirstOrThrow(),
    )
  const dead = await left(new Date(Date.now() - 120_000))
  const working = await left(new Date())
  await t.services.jobs.start()
  expect(await read(dead.uid)).toMatchObject({ state: 'failed', error: 'interrupted' })
  expect(await read(working.uid)).toMatchObject({ state: 'running' })
})
