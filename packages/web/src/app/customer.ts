import type { Customer, UiConfig } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { session, useUser } from '../session.ts'
import { api, queryClient, report } from './client.ts'
import { router } from './router.ts'
import { bare } from './verdict.ts'

/** Changes some of one's settings here at once and at the server behind it. */
export async function saveConfig(change: Partial<UiConfig>): Promise<void> {
  const user = session.get()
  if (!user) return
  const ui_config = { ...user.user_config.ui_config, ...change }
  session.set({ ...user, user_config: { ui_config } })
  const result = await api.user.configUpdate.call({ ui_config: change })
  if (!result.status) report(result.failure)
}

const pick = (customers: readonly Customer[], chosen: string | null | undefined): Customer | null =>
  customers.find((one) => one.customer_id === chosen) ?? customers.find((one) => one.is_default) ?? customers[0] ?? null

/** For loaders: the customer whose sites are shown; null when there is none. */
export async function loadCustomer(): Promise<Customer | null> {
  const customers = await queryClient.ensureQueryData(api.customer.list.query({}))
  return pick(customers, session.get()?.user_config.ui_config.selected_customer_id)
}

const eventFilters = ['sid', 'cid', 'uid']
/** What in the addresses of lists is of one customer: under another it would find nothing, or go on showing the first. */
const filtersOfCustomer: Readonly<Record<string, readonly string[]>> = {
  '/event': eventFilters,
  '/event/gallery': eventFilters,
  '/site': ['country', 'tag', 'health'],
}

function choose(id: string): void {
  void saveConfig({ selected_customer_id: id })
  const { pathname, search } = router.state.location
  const gone = filtersOfCustomer[bare(pathname)]?.filter((name) => name in search) ?? []
  if (gone.length === 0) return
  const left = Object.fromEntries(Object.entries(search).filter(([name]) => !gone.includes(name)))
  void router.navigate({ to: pathname as '/', search: left as never, replace: true })
}

/** The customers in reach, the one whose sites are shown, and how to choose another. */
export function useCustomer(): {
  customers: readonly Customer[]
  selected: Customer | null
  select: (id: string) => void
} {
  const user = useUser()
  const { data: customers = [] } = useQuery(api.customer.list.query({}))
  return {
    customers,
    selected: pick(customers, user.user_config.ui_config.selected_customer_id),
    select: choose,
  }
}
