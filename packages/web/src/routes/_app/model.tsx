import { createFileRoute } from '@tanstack/react-router'
import { api, queryClient } from '../../app/client.ts'
import { fallbackTo, requireModule } from '../../app/guards.ts'
import { ModelList } from '../../model/ModelList.tsx'

export const Route = createFileRoute('/_app/model')({
  beforeLoad: requireModule('viewer_nav'),
  loader: () => queryClient.ensureQueryData(api.model.list.query({})),
  onError: fallbackTo('/site'),
  component: ModelList,
})
