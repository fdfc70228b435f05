import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, refresh } from '../../app/client.ts'
import { requireModule } from '../../app/guards.ts'
import { notify } from '../../app/messages.ts'
import { CustomerForm } from '../../customer/CustomerForm.tsx'
import { words } from '../../i18n/words.ts'
import { useUser } from '../../session.ts'
import { useGo } from '../../ui/Go.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

export const Route = createFileRoute('/_app/customer/add')({
  beforeLoad: requireModule('edit'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { organization_id } = useUser()
  const go = useGo()
  return (
    <>
      <PageHeader title={t('customer.add')} />
      <CustomerForm
        submitLabel={t('customer.create')}
        onCancel={() => go('/customer')}
        onSubmit={async (input) => {
          const result = await api.customer.create.call({ ...input, organization_id })
          if (!result.status) throw result.failure
          notify({ type: 'success', text: words.pair('customer.create').done })
          refresh('customer')
          go('/customer', { cuid: result.data.customer_id })
        }}
      />
    </>
  )
}
