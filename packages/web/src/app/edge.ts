import type { Nimble } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { CallFailed } from '../api.ts'
import { edgeName } from '../i18n/seeded.ts'
import type { Tone } from '../ui/tone.ts'
import { clearBanner, setBanner } from './banner.ts'
import { api, queryClient } from './client.ts'
import { hasScreen, useModules } from './modules.ts'
import { router } from './router.ts'
import { useIsServerAway } from './ServerWatch.tsx'

/** Edge servers with their state, polled in silence; the stream changes them in between. */
export const edgeQuery = () => ({
  ...api.nimble.list.query({ is_status: true }),
  refetchInterval: 30_000,
  retry: false,
  meta: { op: 'nimble.list' as const, quiet: true },
})

/** How many edge servers are online, null while the portal cannot say; null altogether when there is none. */
export function useEdge(): { online: number | null; total: number; tone: Tone } | null {
  const { data } = useQuery(edgeQuery())
  const isAway = useIsServerAway()
  if (!data || data.length === 0) return null
  if (isAway) return { online: null, total: data.length, tone: 'neutral' }
  const online = data.filter((one) => one.status?.state === 'online').length
  return { online, total: data.length, tone: online === data.length ? 'ok' : online === 0 ? 'bad' : 'warn' }
}

/** Puts live states into the list, and says in the banner which edge server cannot be reached. Draws nothing itself. */
export function EdgeWatch() {
  const { t } = useTranslation()
  const { data } = useQuery(edgeQuery())
  const mayLook = hasScreen(useModules(), '/configuration/detail')
  const down = data?.find((one) => one.status?.state === 'unreachable' || one.status?.state === 'refused')
  useEffect(() => {
    if (!down) return clearBanner('edge')
    setBanner({
      id: 'edge',
      version: down.nimble_id,
      message: t(down.status?.state === 'refused' ? 'shell.edgeRefused' : 'shell.edgeDown', { name: edgeName(down) }),
      color: 'warn',
      icon: 'plug',
      ...(mayLook && {
        action: {
          label: t('shell.troubleshoot'),
          run: () =>
            void router.navigate({ to: '/configuration/detail' as '/', search: { nid: down.nimble_id } as never }),
        },
      }),
    })
  }, [down, t, mayLook])
  return null
}

/** An organization without edge servers answers 404: nothing is wrong, there are none yet. */
const noneYet = (error: unknown): boolean => error instanceof CallFailed && error.code === 404

/** For loaders: the edge servers; an empty list where there are none yet. */
export async function loadEdges(): Promise<readonly Nimble[]> {
  try {
    return await queryClient.ensureQueryData(edgeQuery())
  } catch (error) {
    if (noneYet(error)) return []
    throw error
  }
}

/** The edge servers with their live states; undefined while they load. */
export function useEdges(): { edges: readonly Nimble[] | undefined; error: CallFailed | null; retry: () => void } {
  const { data, error, refetch } = useQuery(edgeQuery())
  const isNone = noneYet(error)
  return { edges: isNone ? [] : data, error: isNone ? null : error, retry: () => void refetch() }
}
