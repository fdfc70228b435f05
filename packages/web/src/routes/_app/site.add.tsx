import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, queryClient, refresh } from '../../app/client.ts'
import { loadCustomer, useCustomer } from '../../app/customer.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { notify } from '../../app/messages.ts'
import { choice, search, uuid } from '../../app/search.ts'
import { words } from '../../i18n/words.ts'
import { SiteForm } from '../../site/SiteForm.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { useGo } from '../../ui/Go.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

export const Route = createFileRoute('/_app/site/add')({
  validateSearch: search({ cuid: choice(uuid) }),
  beforeLoad: requireModule('edit'),
  loader: loadCustomer,
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { cuid } = Route.useSearch()
  const { customers, selected } = useCustomer()
  const go = useGo()
  const customerId = cuid ?? selected?.customer_id
  if (!customerId) return <Empty title={t('site.noCustomer')} />
  return (
    <>
      <PageHeader title={t('site.add')} />
      <SiteForm
        customers={customers}
        customerId={customerId}
        submitLabel={t('site.create')}
        onCancel={() => go('/site')}
        onSubmit={async (input) => {
          const organization_id = customers.find((one) => one.customer_id === input.customer_id)?.organization_id
          const result = await api.site.create.call({ ...input, organization_id })
          if (!result.status) throw result.failure
          notify({ type: 'success', text: words.pair('site.create').done })
          queryClient.setQueryData(api.site.get.key({ site_id: result.data.site_id }), result.data)
          refresh('site')
          refresh('customer')
          go('/site/detail', { sid: result.data.site_id })
        }}
      />
    </>
  )
}
