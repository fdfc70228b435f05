import type { Privilege, Role } from '@sightline/domain'

/** Who calls: made from the session once a request. Integers are the database's surrogates and never leave the server. */
export type Principal = {
  userId: number
  userUid: string
  tenantId: number
  organizationId: string
  role: Role
  sessionUid: string
  csrf: string
  authTime: Date
  /** What the role holds beyond its permissions. */
  privileges: readonly Privilege[]
  /** Until when a given reason shows clearly what is blurred for the role; null: none was given. */
  unblurredUntil: Date | null
}

/**
 * What a query may see. Every store function takes it. `tenantId` null: a super role reading every organization
 * (database role `sl_super`). `siteIds` null: every site of the tenant; a list: only those (user and viewer).
 */
export type Scope = {
  principal: Principal
  tenantId: number | null
  siteIds: readonly number[] | null
  /** Null: every use case; a list: of channels only those with one of these (user and viewer to whom some were assigned). */
  usecaseIds: readonly number[] | null
  /** Null: every channel; a list of public ids: only those (user and viewer to whom some were assigned). */
  channelUids: readonly string[] | null
}

/** The same without who it is. */
export type Reach = Omit<Scope, 'principal'>

/** Who calls and what they see. */
export type Caller = { principal: Principal; scope: Scope }
