/** The one client and the one query cache of the app, with the rules of showing what calls say. */
import type { Api, OpId } from '@sightline/contract'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallFailed, createClient } from '../api.ts'
import { words } from '../i18n/words.ts'
import { csrfToken, session } from '../session.ts'
import { isAway } from './activity.ts'
import { heardTime } from './clock.ts'
import { notify } from './messages.ts'

/** The API's path: the portal writes it into the page; a page served without it uses the default. */
export const apiBase = ((): string => {
  const written = document.querySelector<HTMLMetaElement>('meta[name=api-base]')?.content ?? ''
  return written.startsWith('/') ? written.replace(/\/$/, '') : '/api/v1'
})()

let onSessionLost: (failure: CallFailed) => void = () => undefined
/** What happens when the session ends under the person's hands; `app/auth.ts` says it. */
export const whenSessionLost = (run: (failure: CallFailed) => void): void => {
  onSessionLost = run
}

let saysEmpty = true
/** During the first run nothing exists yet: that a list is empty is no news there. */
export const hushEmptyLists = (isHushed: boolean): void => {
  saysEmpty = !isHushed
}

/** Reads that still come too soon after their wait belong to what was said; so long after it they do not. */
const waitOverMs = 5000
let waitsUntil = Number.NEGATIVE_INFINITY
/** Said once for all reads of a page, and for all their waits. */
function waits(seconds: number): void {
  const now = performance.now()
  const isSaid = now < waitsUntil
  waitsUntil = Math.max(waitsUntil, now + seconds * 1000 + waitOverMs)
  if (!isSaid) notify({ type: 'info', text: words.waits(seconds) })
}

export const api = createClient({
  base: apiBase,
  csrf: csrfToken,
  isAway,
  words: { ...words, empty: (op) => (saysEmpty ? words.empty(op) : null) },
  onMessage: notify,
  onWait: waits,
  onTime: heardTime,
  onUnauthorized(failure) {
    if (session.get()) onSessionLost(failure)
  },
})

/**
 * Shows a failed call once, whoever meets it first. A 403 is silent: the screen says it in place.
 * A 401 was shown when the session was taken away.
 */
export function report(error: unknown): void {
  if (!(error instanceof CallFailed)) {
    console.error(error)
    return
  }
  if (error.shown || error.code === 403 || error.code === 401) return
  error.shown = true
  notify({ type: error.type, text: error.message })
}

type Feature = keyof Api
/** Features whose queries also show what a change of this one changes. */
const dependents: Partial<Record<Feature, readonly Feature[]>> = {
  organization: ['customer'],
  customer: ['site'],
  site: ['customer', 'device', 'face', 'channel', 'storage'],
  face: ['event', 'model'],
  device: ['site', 'customer', 'source', 'channel', 'nimble'],
  source: ['device', 'static', 'channel'],
  static: ['channel'],
  channel: ['face', 'device', 'site', 'customer', 'static', 'license', 'nimble', 'pipeline', 'event'],
  // What an edge server's going away does to every camera behind it.
  nimble: ['license', 'device', 'channel', 'site', 'customer', 'status'],
  license: ['nimble', 'status'],
  model: ['pipeline'],
  pipeline: ['channel', 'model', 'face'],
  usecase: ['customer'],
  user: [],
  instance: ['status'],
  demo: [],
}
/** Calls that ask or try something and change nothing. */
const readOnly: readonly OpId[] = [
  'device.probe',
  'device.discover',
  'nimble.test',
  'channel.ondemand',
  'upload.create',
  'model.check',
  'geo.zip',
  'license.issue',
]

/** Reads again whatever shows a feature, e.g. after a change, or when the stream says that it changed. */
export function refresh(feature: Feature): void {
  for (const item of [feature, ...(dependents[feature] ?? [])]) queryClient.invalidateQueries({ queryKey: [item] })
}

/** What comes in one burst is read again together … */
const gatherMs = 300
/** … and while news goes on coming ever less often, down to this: a person's calls of a minute are counted. */
const restMs = 5000
let gathered = new Set<Feature>()
let waitMs = gatherMs
let lastRead = Number.NEGATIVE_INFINITY

/** As `refresh`, for news from the stream: the first is shown at once, what goes on coming every few seconds. */
export function refreshSoon(feature: string): void {
  if (!(feature in api)) return
  if (gathered.size === 0) {
    waitMs = performance.now() - lastRead > 2 * restMs ? gatherMs : Math.min(2 * waitMs, restMs)
    setTimeout(() => {
      lastRead = performance.now()
      const features = gathered
      gathered = new Set()
      for (const one of features) refresh(one)
    }, waitMs)
  }
  gathered.add(feature as Feature)
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      const { op } = query.meta ?? {}
      // What failed to load is not shown from memory: an old list of use cases would offer what is gone.
      if (op === 'usecase.list' || op === 'bundle.list') query.setState({ data: undefined })
      // Loaders and panels say other failures where they happen.
      if (error instanceof CallFailed && (error.code === 400 || error.code === 500) && !query.meta?.quiet) report(error)
    },
  }),
  mutationCache: new MutationCache({
    onSuccess(_data, _input, _context, mutation) {
      const op = mutation.meta?.op
      if (op && !readOnly.includes(op)) refresh(op.split('.')[0] as Feature)
    },
    onError(error, _input, _context, mutation) {
      if (!mutation.meta?.inline) report(error)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) =>
        failures < 1 && error instanceof CallFailed && (error.code === 0 || error.code === 408),
      retryDelay: 800,
    },
  },
})
