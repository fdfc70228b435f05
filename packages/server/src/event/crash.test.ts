import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { installBinaries } from '../db/binaries.ts'
import { openDatabase } from '../db/database.ts'
import { rolledUp, rolledUpFromRaw } from '../testing/events.ts'
import { factories } from '../testing/factories.ts'
import type { KeptChannel, PortalSays } from '../testing/portal-process.ts'
import { killAtOnce } from '../testing/processes.ts'
import { hourlyJob } from './hourly.ts'
import { hourMs } from './rollup.ts'

const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sl-crash-'))
fs.chmodSync(dataDir, 0o755)
const binaries = installBinaries(path.join(dataDir, 'bin'))
const portalProcess = fileURLToPath(new URL('../testing/portal-process.ts', import.meta.url))
let child: ChildProcess | undefined
afterAll(async () => {
  child?.kill('SIGKILL')
  const left = await openDatabase({ dataDir, binaries })
  await left.close()
  fs.rmSync(dataDir, { recursive: true, force: true })
})

const rounds = 8

test('portal and database are killed in mid-run: what was acknowledged is there, once, and the sums agree', async () => {
  const setup = await openDatabase({ dataDir, binaries })
  const channel = await factories(setup).channel()
  await setup.close()
  // Through closed hours into the open one, so that marks are made and worked off while it runs.
  const from = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs
  const state: KeptChannel = {
    tenantId: channel.tenant_id,
    nimbleId: channel.nimble_id,
    uid: channel.uid,
    from,
    next: 0,
  }
  let acknowledged = -1

  for (let round = 0; round < rounds; round++) {
    // Begins one batch back: the last acknowledgement may have been lost on its way, and repeats must not count.
    state.next = Math.max(0, acknowledged - 1)
    child = fork(portalProcess, [dataDir, binaries.bin, JSON.stringify(state)], {
      execPath: process.execPath,
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const goal = acknowledged + 20 + 7 * round
    const reached = Promise.withResolvers<void>()
    child.on('message', (said: PortalSays) => {
      if ('failed' in said) reached.reject(new Error(said.failed))
      if ('acknowledged' in said) acknowledged = Math.max(acknowledged, said.acknowledged)
      if (acknowledged >= goal) reached.resolve()
    })
    await reached.promise
    if (round % 2 === 1) {
      // The database dies under the running portal, which starts it again and goes on.
      killAtOnce(Number(fs.readFileSync(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]))
      const before = acknowledged
      for (const end = Date.now() + 30_000; acknowledged < before + 5; await wait(20))
        if (Date.now() > end) throw new Error('no batch was acknowledged after the database was killed')
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  const db = await openDatabase({ dataDir, binaries })
  try {
    await hourlyJob(db, Date.now() + 2 * hourMs)
    await db.owner(async (trx) => {
      const { rows } = await sql<{ stored: number; distinct: number }>`
        select count(*) as stored, count(distinct eid) as distinct from event`.execute(trx)
      const { stored, distinct } = rows[0]!
      expect(stored).toBe(distinct)
      expect(stored).toBeGreaterThanOrEqual((acknowledged + 1) * 20)
      // At most the one batch more whose acknowledgement did not arrive.
      expect(stored).toBeLessThanOrEqual((acknowledged + 2) * 20)
      expect(await rolledUp(trx, 'event_1m')).toEqual(await rolledUpFromRaw(trx, '1 minute'))
      expect(await rolledUp(trx, 'event_1h')).toEqual(await rolledUpFromRaw(trx, '1 hour'))
    })
  } finally {
    await db.close()
  }
})
