import { useSuspenseQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, queryClient, refresh } from '../../app/client.ts'
import { loadEdges } from '../../app/edge.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { notify } from '../../app/messages.ts'
import { words } from '../../i18n/words.ts'
import { EdgeForm } from '../../nimble/EdgeForm.tsx'
import { useGo } from '../../ui/Go.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'

/** Needs the edge servers and the licences. */
export const Route = createFileRoute('/_app/configuration/add')({
  beforeLoad: requireModule('edit'),
  loader: () => Promise.all([loadEdges(), queryClient.ensureQueryData(api.license.list.query({}))]),
  onError: fallbackTo('/configuration'),
  component: Page,
})

function Page() {
  const { t } = useTranslation()
  const go = useGo()
  const { data: licenses } = useSuspenseQuery(api.license.list.query({}))
  return (
    <>
      <PageHeader title={t('nimble.add')} />
      <EdgeForm
        licenses={licenses}
        mayBind
        submitLabel={t('nimble.create')}
        onCancel={() => go('/configuration')}
        onSubmit={async (input) => {
          const result = await api.nimble.create.call(input)
          if (!result.status) throw result.failure
          notify({ type: 'success', text: words.pair('nimble.create').done })
          refresh('nimble')
          go('/configuration/detail', { nid: result.data.nimble_id })
        }}
      />
    </>
  )
}
