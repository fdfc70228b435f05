import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, queryClient, refresh } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { notify } from '../../app/messages.ts'
import { search, uuid } from '../../app/search.ts'
import { edgeName } from '../../i18n/seeded.ts'
import { words } from '../../i18n/words.ts'
import { EdgeForm } from '../../nimble/EdgeForm.tsx'
import { useMay } from '../../session.ts'
import { useGo } from '../../ui/Go.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

/** Needs the edge server, in its newest version, and the licences. */
export const Route = createFileRoute('/_app/configuration/edit')({
  validateSearch: search({ nid: uuid }),
  beforeLoad: requireModule('edit'),
  loaderDeps: ({ search: { nid } }) => ({ nid }),
  loader: ({ deps }) =>
    Promise.all([
      queryClient.fetchQuery({ ...api.nimble.get.query({ nimble_id: deps.nid }), staleTime: 0 }),
      queryClient.ensureQueryData(api.license.list.query({})),
    ]),
  onError: fallbackTo('/configuration'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const { nid } = Route.useSearch()
  const go = useGo()
  const mayBind = useMay('super_admin_only')
  const { data: nimble } = useSuspenseQuery(api.nimble.get.query({ nimble_id: nid }))
  const { data: licenses } = useSuspenseQuery(api.license.list.query({}))
  return (
    <>
      <PageHeader title={t('screen./configuration/edit')} meta={edgeName(nimble)} />
      <EdgeForm
        key={nid}
        nimble={nimble}
        licenses={licenses}
        mayBind={mayBind}
        submitLabel={t('common.save')}
        onCancel={() => go('/configuration/detail', { nid })}
        onSubmit={async ({ license_id, organization_id: _, ...change }, version) => {
          const rebinds = mayBind && license_id !== nimble.license_id
          const result = await api.nimble.update.call({
            ...change,
            ...(rebinds && { license_id }),
            nimble_id: nid,
            version,
          })
          if (!result.status) throw result.failure
          notify({ type: 'success', text: words.pair('nimble.update').done })
          refresh('nimble')
          go('/configuration/detail', { nid })
        }}
      />
    </>
  )
}
