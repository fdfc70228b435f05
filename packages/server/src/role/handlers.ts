import { privileges as all } from '@sightline/domain'
import type { Handlers } from '../mount.ts'
import { refuseStale } from '../refusal.ts'
import { changeOf } from '../trace.ts'
import { listRolePrivileges, lockRolePrivilege, setPrivileges } from './store.ts'

/** Privileges are the instance's: they hold for people of every organization. */
export const role: Handlers<'role'> = {
  privilegeList: (_, { app }) => app.db.instance(listRolePrivileges),

  privilegeUpdate: ({ role_key, privileges, version }, { app, note }) =>
    app.db.instance(async (trx) => {
      const before = await lockRolePrivilege(trx, role_key)
      refuseStale(before, version)
      // Each once, in their order.
      const wanted = all.filter((one) => privileges.includes(one))
      await setPrivileges(trx, role_key, wanted)
      const after = await lockRolePrivilege(trx, role_key)
      note({ object_name: role_key, ...changeOf(before, after) })
      return after
    }),
}
