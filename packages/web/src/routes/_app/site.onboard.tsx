import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { choice, search, tableSearch, uuid } from '../../app/search.ts'
import { OnboardSites } from '../../site/onboard/OnboardSites.tsx'
import { Empty } from '../../ui/Empty.tsx'

/** Needs a customer whose sites these become. */
export const Route = createFileRoute('/_app/site/onboard')({
  validateSearch: search({ ...tableSearch, cuid: choice(uuid) }),
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
