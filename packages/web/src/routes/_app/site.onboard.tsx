import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { OnboardSites } from '../../site/onboard/OnboardSites.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { tableSearch } from '../../ui/table-search.ts'

/** Needs a customer whose sites these become. */
export const Route = createFileRoute('/_app/site/onboard')({
  validateSearch: z.object({ ...tableSearch, cuid: z.uuid().optional().catch(undefined) }),
  beforeLoad: requireModule('edit'),
  loader: loadCustomer,
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { cuid } = Route.useSearch()
  const { customers, selected } = useCustomer()
  const customerId = cuid ?? selected?.customer_id
  if (!customerId) return <Empty title={t('site.noCustomer')} />
  return <OnboardSites customers={customers} customerId={customerId} />
}
