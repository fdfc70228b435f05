import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { statements as init } from './migrations/0001_init.ts'
import { statements as hierarchy } from './migrations/0002_hierarchy.ts'
import { statements as enrolment } from './migrations/0003_enrolment.ts'
import { statements as models } from './migrations/0004_models.ts'
import { statements as channels } from './migrations/0005_channels.ts'
import { statements as occasions } from './migrations/0006_occasions.ts'
import { statements as heard } from './migrations/0008_heard.ts'
import { statements as narrowed } from './migrations/0009_narrowed.ts'
import { statements as faces } from './migrations/0010_faces.ts'
import { statements as privileges } from './migrations/0011_privileges.ts'
import { statements as hours } from './migrations/0012_hours.ts'
import { statements as shared } from './migrations/0014_shared.ts'
import { statements as identity } from './migrations/0016_identity.ts'
import { statements as told } from './migrations/0018_told.ts'
import { statements as views } from './migrations/0020_views.ts'
import { statements as faceDays } from './migrations/0021_face_days.ts'
import { statements as dwell } from './migrations/0022_dwell.ts'
import { statements as foreign } from './migrations/0023_foreign.ts'
import { statements as pieces } from './migrations/0024_pieces.ts'
import { statements as endpoints } from './migrations/0025_endpoints.ts'
import { statements as unread } from './migrations/0026_unread.ts'
import type { Database } from './schema.ts'
import { DatabaseTrouble } from './trouble.ts'

/** One statement at a time: the extended protocol takes no more. */
const run = (statements: readonly string[]): Migration => ({
  async up(db: Kysely<never>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})

/** In order, for ever: a released migration is never changed; going back is restoring the backup taken before. */
const migrations: Record<string, Migration> = {
  '0001_init': run(init),
  '0002_hierarchy': run(hierarchy),
  '0003_enrolment': run(enrolment),
  '0004_models': run(models),
  '0005_channels': run(channels),
  '0006_occasions': run(occasions),
  '0008_heard': run(heard),
  '0009_narrowed': run(narrowed),
  '0010_faces': run(faces),
  '0011_privileges': run(privileges),
  '0012_hours': run(hours),
  '0014_shared': run(shared),
  '0016_identity': run(identity),
  '0018_told': run(told),
  '0020_views': run(views),
  '0021_face_days': run(faceDays),
  '0022_dwell': run(dwell),
  '0023_foreign': run(foreign),
  '0024_pieces': run(pieces),
  '0025_endpoints': run(endpoints),
  '0026_unread': run(unread),
}

/**
 * Brings the schema up to date, under the migrator's lock.
 * @returns the names of the migrations that ran
 */
export async function migrate(db: Kysely<Database>): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    migrationTableName: 'migration',
    migrationLockTableName: 'migration_lock',
  })
  const unknown = (await migrator.getMigrations().catch(ofNewerPortal)).filter((known) => !(known.name in migrations))
  if (unknown.length > 0) throw newer()
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error) ofNewerPortal(error)
  return results.filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

const newer = (cause?: unknown) =>
  new DatabaseTrouble(
    'The database was written by a newer version of the portal. Start that version, or restore a backup of this one.',
    { cause },
  )

/** Kysely calls migrations that it does not know corrupt: they were run by a later release. */
function ofNewerPortal(error: unknown): never {
  if (error instanceof Error && error.message.includes('corrupted migrations')) throw newer(error)
  throw error
}
