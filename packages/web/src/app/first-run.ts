import { may } from '@sightline/domain'
import { session } from '../session.ts'
import { api, hushEmptyLists, queryClient } from './client.ts'

/** Whether the root leads into the first-run wizard: for a super admin who did not put it away, while nothing runs yet. */
export async function needsFirstRun(): Promise<boolean> {
  const user = session.get()
  if (!user || !may(user.role_key, 'super_admin_only') || user.user_config.ui_config.checklist_done) return false
  hushEmptyLists(true)
  try {
    const customers = await queryClient.fetchQuery(api.customer.list.query({}))
    return customers.every((customer) => customer.customer_total_channels === 0)
  } finally {
    hushEmptyLists(false)
  }
}
