import { statusRetrySeconds } from '@sightline/domain'
import { i18n } from '../i18n/index.ts'
import { lostOf, reloadWithDrafts, worksInHand } from '../ui/leaving.ts'
import { setBanner } from './banner.ts'
import { queryClient } from './client.ts'
import { statusQuery } from './ServerWatch.tsx'

const againMs = 10_000
const nameOfMissing = 'PartMissing'

/** Whether a screen failed because the portal did not send its file. */
export const isPartMissing = (error: unknown): boolean => error instanceof Error && error.name === nameOfMissing

let isTaking = false

/**
 * A file that this page loads later did not come (`vite:preloadError`). No browser tries it again: the page is loaded anew
 * as soon as the server answers. At once where nothing was away: after an update the server no longer has the files of
 * this page, and the new page has new ones.
 */
export function partMissing({ payload }: VitePreloadErrorEvent): void {
  // For whoever reads it in place of a screen. By the browser's own words for it the router would load the page anew at
  // once, and while nobody answers that leaves nothing of it.
  payload.name = nameOfMissing
  payload.message = i18n.t('shell.partMissing')
  if (isTaking) return
  isTaking = true
  void answer().then((wasAway) => {
    isTaking = false
    takeNewPage(i18n.t(wasAway ? 'shell.partsMissing' : 'shell.newVersion'))
  })
}

/** The person asks for a screen whose file did not come. */
export const comeAgain = (): Promise<void> => answer().then(reloadWithDrafts)

let waiting: Promise<boolean> | null = null

/** As `untilAnswered`: one wait for all who want it, however often they ask. */
function answer(): Promise<boolean> {
  waiting ??= untilAnswered().finally(() => {
    waiting = null
  })
  return waiting
}

/** Waits until the server answers; the banner tells of that. @returns whether it was away */
async function untilAnswered(): Promise<boolean> {
  for (let wasAway = !navigator.onLine; ; wasAway = true) {
    try {
      await queryClient.fetchQuery({ ...statusQuery(), staleTime: 0 })
      return wasAway
    } catch {
      await new Promise((resolve) => setTimeout(resolve, statusRetrySeconds * 1000))
    }
  }
}

/**
 * Where something typed is not saved yet, or on its way, the person says when. A page that has only just come again lacks
 * its files for another reason: that failure is shown.
 */
function takeNewPage(message: string): void {
  const works = worksInHand()
  if (works.length > 0) {
    const lost = lostOf(works)
    setBanner({
      id: 'version',
      version: 'new',
      message,
      detail: lost ? i18n.t('shell.newPagePart', { lost }) : i18n.t('shell.newPageKept'),
      color: 'info',
      icon: 'alert',
      action: { label: i18n.t('shell.reload'), run: reloadWithDrafts },
    })
    return
  }
  const last = Number(sessionStorage.getItem('reloaded') ?? 0)
  if (Date.now() - last < againMs) return
  sessionStorage.setItem('reloaded', String(Date.now()))
  location.reload()
}
