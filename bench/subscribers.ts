/**
 * Live messages: a thousand browsers on the stream of one portal, while an edge server of 1,000 channels sends an event a
 * second of each. All of the portal's work is counted, storing the events included.
 */

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { until } from '../e2e/product.ts'
import { channelsOfEdge } from './events.ts'
import { openFlood } from './flood.ts'
import { cpuMeter, type Figure, wait } from './measure.ts'
import { startPortal, startProgram } from './process.ts'
import type { Run } from './run.ts'
import { seedStore, signIn } from './store.ts'
import type { Counted, ToSubscribers } from './subscriber-process.ts'

const people = 25
const eachHas = 38
const foreigners = 50

export async function subscribers(run: Run): Promise<Figure[]> {
  const rounds = run.quick ? 3 : 5
  const roundMs = run.quick ? 3000 : 5000
  const dataDir = run.folder()
  const flood = await openFlood(run, dataDir)
  const cookies: string[] = []
  let foreign: string[] = []
  const store = await seedStore({
    dataDir,
    nimblePort: flood.port,
    cameras: Array.from({ length: 10 }, (_, i) => ({
      name: `Gate ${i}`,
      address: 'rtsp://198.51.100.1/',
      usecases: Array(channelsOfEdge).fill('ppedtec'),
    })),
    async more(db, { make }) {
      for (let i = 0; i < people; i++) cookies.push(await signIn(db, await make.user('admin')))
      const elsewhere = await make.organization()
      for (let i = 0; i < 2; i++) foreign = [...foreign, await signIn(db, await make.user('admin', {}, elsewhere))]
    },
  })
  const portal = await startPortal(run, { dataDir, nimblePort: flood.port })
  flood.begin(
    store.devices.flatMap((device) => device.channels.map(({ uid }) => uid)),
    Date.now(),
  )
  await until('the portal has come to the edge server', () => flood.connections() > 0)
  const { child } = await startProgram(
    run,
    { name: 'subscribers', program: 'bench/subscriber-process.ts', args: [portal.origin], logDir: dataDir },
    (message) => (message === 'ready' ? true : null),
  )
  for (const cookie of cookies) await ask(child, { type: 'open', cookie, count: eachHas, home: true })
  for (const cookie of foreign) await ask(child, { type: 'open', cookie, count: foreigners / 2, home: false })
  await flood.pace(1000, 1000)

  const product: number[] = []
  const faults: string[] = []
  const count = async () => (await ask(child, { type: 'count' })) as Counted
  /** Answers what was told once everything was, or after 5 s. */
  const settled = async () => {
    for (let i = 0; ; i++) {
      const now = await count()
      if ((now.least >= flood.acknowledged() && now.most >= flood.acknowledged()) || i === 50) return now
      await wait(100)
    }
  }
  let before = await settled()
  for (let round = 0; round < rounds; round++) {
    const meter = cpuMeter(() => [portal.pid, portal.databasePid()])
    const sending = flood.pace(1000, roundMs)
    await wait(roundMs / 3)
    await ask(child, { type: 'cut' })
    await sending
    const now = await settled()
    const cpu = meter.stop()
    const { deliveries, least, most, foreign: strange, notResumed } = now
    product.push((deliveries - before.deliveries) / cpu)
    before = now
    const sent = flood.acknowledged()
    if (least !== sent || most !== sent) faults.push(`of ${sent} events some were told ${least}, some ${most}`)
    if (strange > 0) faults.push(`another organization was told ${strange}`)
    if (notResumed > 0) faults.push(`${notResumed} had to read again`)
  }
  return [
    {
      metric: `live messages to ${people * eachHas + foreigners} browsers, 1,000 channels at an event a second, CPU of portal and database`,
      unit: 'deliveries/CPU-s',
      product,
      gate: { atLeast: 1_000_000 },
      correct: {
        ok: faults.length === 0,
        what:
          faults[0] ??
          'each was told every event of its organization once, also over a cut of the line, and none of another',
      },
    },
  ]
}

async function ask(child: ChildProcess, message: ToSubscribers): Promise<unknown> {
  child.send(message)
  const [answer] = await once(child, 'message')
  return answer
}
