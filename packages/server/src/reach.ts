import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Scope } from './scope.ts'

/**
 * The caller's reach as a condition of a query: the tenant of `table`, and the site where rows belong to one.
 * @param site column that holds the site; null where rows belong to no site
 */
export function within(
  scope: Pick<Scope, 'tenantId' | 'siteIds'>,
  table: string,
  site: string | null = `${table}.site_id`,
): RawBuilder<SqlBool> {
  const tenant = scope.tenantId === null ? sql`true` : sql`${sql.ref(`${table}.tenant_id`)} = ${scope.tenantId}`
  const sites =
    site === null || scope.siteIds === null ? sql`true` : sql`${sql.ref(site)} = any(${scope.siteIds}::int[])`
  return sql<SqlBool>`(${tenant} and ${sites})`
}

type Narrowed = Pick<Scope, 'usecaseIds' | 'channelUids'>

/** As `within`, for rows of the table `channel`: also the use cases and channels that the caller is narrowed to. */
export const withinChannels = (scope: Pick<Scope, 'tenantId' | 'siteIds'> & Narrowed): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${within(scope, 'channel')} and ${ofChannels(scope)})`

/** Whether a row of the table `channel` is one of those that the caller is narrowed to, by use case and by itself. */
export function ofChannels({ usecaseIds, channelUids }: Narrowed): RawBuilder<SqlBool> {
  const usecase = usecaseIds === null ? sql`true` : sql`channel.usecase_id = any(${usecaseIds}::int4[])`
  const itself = channelUids === null ? sql`true` : sql`channel.uid = any(${channelUids}::uuid[])`
  return sql<SqlBool>`(${usecase} and ${itself})`
}

/** Whether the caller sees each channel within their sites. */
export const seesEveryChannel = ({ usecaseIds, channelUids }: Narrowed): boolean =>
  usecaseIds === null && channelUids === null

/** Rows by their numbers, with the tenants with which indexes begin. */
export const numbersOf = (rows: readonly { tenant_id: number; id: number }[]) => ({
  tenants: [...new Set(rows.map((row) => row.tenant_id))],
  ids: rows.map((row) => row.id),
})
