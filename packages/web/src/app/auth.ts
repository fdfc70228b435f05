/** Opening, reading and ending the session, and what hangs on it: modules, language, stream. */
import type { UserInfo } from '@sightline/contract'
import type { CallFailed } from '../api.ts'
import { i18n, language } from '../i18n/index.ts'
import { closeStream, openStream, socketUrl, subscribe } from '../live.ts'
import { session } from '../session.ts'
import { lostOf, worksInHand } from '../ui/leaving.ts'
import { banners, clearBanner, setBanner } from './banner.ts'
import { api, apiBase, queryClient, refreshSoon, whenSessionLost } from './client.ts'
import { addressLanguage, chooseLanguage } from './language.ts'
import { messages, noMessages, notify } from './messages.ts'
import { loadModules } from './modules.ts'
import { router } from './router.ts'

subscribe('changed', ({ feature }) => refreshSoon(feature))

/** Runs the guards again: the list of screens changed under the person's feet. */
const judgeAgain = () => void router.invalidate()

async function enter(user: UserInfo): Promise<void> {
  session.set(user)
  clearBanner('session')
  const wanted = user.user_config.ui_config.language
  if (wanted && wanted !== i18n.language && !addressLanguage) await chooseLanguage(wanted)
  await loadModules(judgeAgain)
  openStream(socketUrl(`${apiBase}/stream`), () => void queryClient.invalidateQueries())
}

let booting: Promise<void> | null = null

/** The portal's first call: who is there. Then the screens they can reach. Once, until it succeeds. */
export function boot(): Promise<void> {
  booting ??= (async () => {
    const result = await api.user.info.call({})
    if (result.status) return enter(result.data)
    if (result.failure.code !== 401) throw result.failure
    session.set(null)
    await loadModules(judgeAgain)
  })().catch((error: unknown) => {
    booting = null
    throw error
  })
  return booting
}

/** After a sign-in. */
export async function signedIn(user: UserInfo): Promise<void> {
  queryClient.clear()
  await enter(user)
}

/** What somebody was told of their edge servers and licences is not for whoever comes next to this browser. */
function forgetTold(): void {
  banners.set(({ all }) => ({ all: all.filter(({ id }) => id === 'session'), dismissed: {} }))
  messages.set(noMessages)
}

async function leave(): Promise<void> {
  session.set(null)
  queryClient.clear()
  forgetTold()
  await loadModules(judgeAgain)
}

let leaving: Promise<void> | null = null

/** Ends the session at the server and forgets everything of it here. A fresh module list may ask for it once more. */
export function signOut(): Promise<void> {
  leaving ??= endSession().finally(() => {
    leaving = null
  })
  return leaving
}

async function endSession(): Promise<void> {
  // The server ends it with the session, and it would be asked for again in vain.
  closeStream()
  const result = await api.auth.logout.call({})
  await leave()
  // A session that is over already is what was asked for.
  if (!result.status && result.failure.code !== 401) notify(result.message)
  // The server asks the browser to forget what the page stored; the language is this machine's, not the person's.
  await chooseLanguage(language())
}

/** The server no longer knows the session: say so, keep the way back, and go to the sign-in. Drafts stay in the tab. */
async function sessionLost(failure: CallFailed): Promise<void> {
  if (!session.get()) return
  forgetTold()
  notify({ type: 'error', text: failure.message })
  const works = worksInHand()
  const lost = lostOf(works)
  setBanner({
    id: 'session',
    version: String(Date.now()),
    message: i18n.t('shell.sessionLost'),
    detail: lost
      ? i18n.t('shell.sessionLostPart', { lost })
      : i18n.t(works.length > 0 ? 'shell.sessionLostKept' : 'shell.sessionLostDetail'),
    color: 'bad',
    icon: 'lock',
    action: { label: i18n.t('shell.signOut'), run: () => void router.navigate({ to: '/logout' }) },
  })
  const { href, pathname } = router.state.location
  closeStream()
  session.set(null)
  await router.navigate({ to: '/login', search: { next: pathname === '/login' ? undefined : href } })
  queryClient.clear()
  await loadModules(judgeAgain)
}

whenSessionLost((failure) => void sessionLost(failure))
