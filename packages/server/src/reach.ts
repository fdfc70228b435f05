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
    site === null || scope.siteIds === null ? sql`true` : sql`${sql.ref(site)} = any(${[...scope.siteIds]}::int[])`
  return sql<SqlBool>`(${tenant} and ${sites})`
}

/** As `within`, for rows of the table `channel`: also the use cases that the caller is narrowed to. */
export const withinChannels = (scope: Pick<Scope, 'tenantId' | 'siteIds' | 'usecaseIds'>): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${within(scope, 'channel')} and ${ofUsecases(scope, 'channel.usecase_id')})`

/** Whether the use case in this column is one of those that the caller is narrowed to. */
export const ofUsecases = ({ usecaseIds }: Pick<Scope, 'usecaseIds'>, column: string): RawBuilder<SqlBool> =>
  usecaseIds === null ? sql`true` : sql`${sql.ref(column)} = any(${[...usecaseIds]}::int4[])`
