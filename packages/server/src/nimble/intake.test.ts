import { zstdCompressSync } from 'node:zlib'
import type { EventRecord, PortalMessage } from '@sightline/contract/edge'
import { compressEvents, encodeEvents } from '@sightline/contract/frame'
import { expect, test } from 'vitest'
import { eventRecord } from '../testing/events.ts'
import { until } from '../testing/until.ts'
import { createIntake } from './intake.ts'

const channel_id = '01890000-0000-7000-8000-0000000000c1'
const records = (count: number) =>
  Array.from({ length: count }, () => eventRecord({ channel_id, observed_at: Date.now(), metrics: { total: 1 } }))
const frame = (seq: number, count = 10) => encodeEvents(records(count), seq).frame

/** An intake whose store the test opens and shuts. */
function intake() {
  const answers: PortalMessage[] = []
  const stored: EventRecord[][] = []
  const violations: string[] = []
  const gate = { fails: 0, hold: null as Promise<void> | null }
  const made = createIntake({
    async store(list) {
      await gate.hold
      if (gate.fails-- > 0) throw new Error('the database is away')
      stored.push(list)
    },
    answer: (message) => answers.push(message),
    failed: () => undefined,
    violated: (reason) => violations.push(reason),
  })
  return { ...made, answers, stored, violations, gate }
}

test('nothing is acknowledged before it is stored, and a database that is away is waited for', async () => {
  const { take, answers, stored, gate } = intake()
  gate.fails = 2
  take(frame(1))
  take(frame(11))
  await until(() => gate.fails === 0, 'two tries have failed')
  expect(answers).toEqual([])
  await until(() => answers.length > 0, 'the third try succeeds')
  expect(stored.flat().length).toBe(20)
  expect(answers.at(-1)).toEqual({ type: 'ack', seq: 20 })
})

test('what comes in during a commit goes in the next, together', async () => {
  const { take, answers, stored, gate } = intake()
  let open = () => undefined as unknown
  gate.hold = new Promise<void>((resolve) => {
    open = resolve
  })
  for (let seq = 1; seq <= 71; seq += 10) take(frame(seq))
  open()
  gate.hold = null
  await until(() => answers.length === 2, 'both commits are acknowledged')
  expect(stored.map((list) => list.length)).toEqual([10, 70])
  expect(answers).toEqual([
    { type: 'ack', seq: 10 },
    { type: 'ack', seq: 80 },
  ])
})

test('a frame that cannot be read is refused in its turn: what came before it is acknowledged first', async () => {
  const { take, answers } = intake()
  take(frame(1))
  take(frame(11).subarray(0, 100))
  take(compressEvents(frame(21, 1500), zstdCompressSync))
  await until(() => answers.length === 3, 'all are answered')
  expect(answers).toMatchObject([
    { type: 'ack', seq: 10 },
    { type: 'nack', seq: 11 },
    { type: 'ack', seq: 1520 },
  ])
})

test('after the end of the link nothing is tried again', async () => {
  const { take, close, answers, stored, gate } = intake()
  // Has failed as often, a little later, and goes on.
  const other = intake()
  gate.fails = 1
  other.gate.fails = 1
  take(frame(1))
  await until(() => gate.fails === 0, 'one try has failed')
  close()
  other.take(frame(1))
  await until(() => other.answers.length > 0, 'the other has tried again')
  expect([answers, stored, gate.fails]).toEqual([[], [], 0])
})
