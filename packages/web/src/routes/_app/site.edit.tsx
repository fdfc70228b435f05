import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, queryClient, refresh } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { notify } from '../../app/messages.ts'
import { search, uuid } from '../../app/search.ts'
import { words } from '../../i18n/words.ts'
import { SiteForm } from '../../site/SiteForm.tsx'
import { useGo } from '../../ui/Go.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

export const Route = createFileRoute('/_app/site/edit')({
  validateSearch: search({ sid: uuid }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { sid } }) => ({ sid }),
  // The newest version: of an old one the form would have to say at once that it was changed.
  loader: ({ deps }) => queryClient.fetchQuery({ ...api.site.get.query({ site_id: deps.sid }), staleTime: 0 }),
  onError: fallbackTo('/site'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { sid } = Route.useSearch()
  const { data: site } = useSuspenseQuery(api.site.get.query({ site_id: sid }))
  const go = useGo()
  return (
    <>
      <PageHeader title={t('site.edit')} meta={site.site_name} />
      <SiteForm
        key={sid}
        site={site}
        customers={[]}
        customerId={site.customer_id}
        submitLabel={t('common.save')}
        onCancel={() => go('/site/detail', { sid })}
        onSubmit={async ({ customer_id: _, ...change }, version) => {
          const result = await api.site.update.call({ ...change, site_id: sid, version })
          if (!result.status) throw result.failure
          notify({ type: 'success', text: words.pair('site.update').done })
          refresh('site')
          go('/site/detail', { sid })
        }}
      />
    </>
  )
}
