import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, queryClient, refresh } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { notify } from '../../app/messages.ts'
import { search, uuid } from '../../app/search.ts'
import { CustomerForm } from '../../customer/CustomerForm.tsx'
import { words } from '../../i18n/words.ts'
import { useGo } from '../../ui/Go.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

export const Route = createFileRoute('/_app/customer/edit')({
  validateSearch: search({ cuid: uuid }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { cuid } }) => ({ cuid }),
  // The newest version: of an old one the form would have to say at once that it was changed.
  loader: ({ deps }) => queryClient.fetchQuery({ ...api.customer.get.query({ customer_id: deps.cuid }), staleTime: 0 }),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { cuid } = Route.useSearch()
  const { data: customer } = useSuspenseQuery(api.customer.get.query({ customer_id: cuid }))
  const go = useGo()
  return (
    <>
      <PageHeader title={t('screen./customer/edit')} meta={customer.customer_name} />
      <CustomerForm
        key={cuid}
        customer={customer}
        submitLabel={t('common.save')}
        onCancel={() => go('/customer', { cuid })}
        onSubmit={async (input, version) => {
          const result = await api.customer.update.call({ ...input, customer_id: cuid, version })
          if (!result.status) throw result.failure
          notify({ type: 'success', text: words.pair('customer.update').done })
          refresh('customer')
          go('/customer', { cuid })
        }}
      />
    </>
  )
}
