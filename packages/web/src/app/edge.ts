import type { Nimble } from '@sightline/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { CallFailed } from '../api.ts'
import { edgeName } from '../i18n/seeded.ts'
import type { Tone } from '../ui/tone.ts'
import { clearBanner, setBanner } from './banner.ts'
import { api, queryClient } from './client.ts'
import { edgeNews } from './edge-news.ts'
import { notify } from './messages.ts'
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

/** Says in the banner which edge servers cannot be reached, and tells when they are back. Draws nothing itself. */
export function EdgeWatch() {
  const { t } = useTranslation()
  const { data } = useQuery(edgeQuery())
  const mayLook = hasScreen(useModules(), '/configuration/detail')
  const wereDown = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    // What cannot be read now says nothing of them.
    if (!data) return
    const { down, back, remembered } = edgeNews(wereDown.current, data)
    wereDown.current = remembered
    if (back.length > 0)
      notify({ type: 'success', text: t('shell.edgeBack', { count: back.length, name: namesOf(back) }) })
    const [first] = down
    if (!first) return clearBanner('edge')
    const only = down.length === 1 ? first : null
    setBanner({
      id: 'edge',
      version: down.map(({ nimble_id }) => nimble_id).join(' '),
      message: only
        ? t(only.status?.state === 'refused' ? 'shell.edgeRefused' : 'shell.edgeDown', { name: edgeName(only) })
        : t('shell.edgesDown', { count: down.length }),
      detail: only ? undefined : namesOf(down),
      color: 'warn',
      icon: 'plug',
      ...(mayLook && {
        action: {
          label: t('shell.troubleshoot'),
          run: () =>
            void (only
              ? router.navigate({ to: '/configuration/detail' as '/', search: { nid: only.nimble_id } as never })
              : router.navigate({ to: '/configuration' })),
        },
      }),
    })
  }, [data, t, mayLook])
  // At signing out too: strangers are not told the names of edge servers.
  useEffect(() => () => clearBanner('edge'), [])
  return null
}

const namesOf = (edges: readonly Nimble[]): string => edges.map(edgeName).join(', ')

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
