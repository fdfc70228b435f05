/**
 * Of several portals exactly one holds the link to a nimble: the one whose name stands in the lease. A lease that is not
 * renewed runs out; that of a process of this machine that is gone is taken over at once, so a restart need not wait.
 */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type Leases = {
  /** True while this portal has the lease, also when it had it before. */
  take(name: string): Promise<boolean>
  /** Takes it whoever has it: the edge server itself is here. The other portal finds out by `renew`. */
  seize(name: string): Promise<void>
  give(name: string): Promise<void>
  /** Keeps all that were taken. @returns those that another portal has taken meanwhile */
  renew(): Promise<string[]>
}

const leaseSeconds = 15
/** How often `renew` is to be called. */
export const leaseRenewMs = 5000
const prefix = 'nimble.link '
/** Portals of this process. */
const living = new Set<string>()

export function createLeases(db: Db): Leases {
  const owner = `${hostname()} ${process.pid} ${randomBytes(8).toString('hex')}`
  const held = new Set<string>()
  living.add(owner)

  return {
    async take(name) {
      const other = await db.ingest((trx) => upsert(trx, prefix + name, owner, null))
      // The rest is only for what a killed portal on this machine left behind.
      const isMine =
        other === owner ||
        (isGone(other, owner) && (await db.ingest((trx) => upsert(trx, prefix + name, owner, other))) === owner)
      if (isMine) held.add(name)
      return isMine
    },
    async seize(name) {
      await db.ingest((trx) =>
        sql`
          insert into lease as l (name, owner, until)
          values (${prefix + name}, ${owner}, now() + make_interval(secs => ${leaseSeconds}))
          on conflict (name) do update set owner = excluded.owner, until = excluded.until`.execute(trx),
      )
      held.add(name)
    },
    async give(name) {
      held.delete(name)
      await db.ingest((trx) =>
        trx
          .deleteFrom('lease')
          .where('name', '=', prefix + name)
          .where('owner', '=', owner)
          .execute(),
      )
    },
    async renew() {
      if (held.size === 0) return []
      const names = [...held]
      const { rows } = await db.ingest((trx) =>
        sql<{ name: string }>`
          update lease set until = now() + make_interval(secs => ${leaseSeconds})
          where owner = ${owner} and name = any(${names.map((name) => prefix + name)}::text[])
          returning name`.execute(trx),
      )
      const kept = new Set(rows.map((row) => row.name))
      const lost = names.filter((name) => !kept.has(prefix + name))
      for (const name of lost) held.delete(name)
      return lost
    },
  }
}

type IngestTrx = Parameters<Parameters<Db['ingest']>[0]>[0]

/** Takes a lease that is free, ours, run out, or `orphaned`'s. @returns whose it is now */
async function upsert(trx: IngestTrx, name: string, owner: string, orphaned: string | null): Promise<string> {
  await sql`
    insert into lease as l (name, owner, until)
    values (${name}, ${owner}, now() + make_interval(secs => ${leaseSeconds}))
    on conflict (name) do update set owner = excluded.owner, until = excluded.until
    where l.until < now() or l.owner in (${owner}, ${orphaned})`.execute(trx)
  const row = await trx.selectFrom('lease').select('owner').where('name', '=', name).executeTakeFirst()
  return row?.owner ?? ''
}

/** Whether the process that wrote `other` was one of this machine and has ended. */
function isGone(other: string, own: string): boolean {
  const [host, pid] = other.split(' ')
  const [ownHost, ownPid] = own.split(' ')
  if (host !== ownHost || other === own) return false
  // In a container every start has the same number: then the other one was an earlier start.
  if (pid === ownPid) return !living.has(other)
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
