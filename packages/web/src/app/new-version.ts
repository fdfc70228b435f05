import { i18n } from '../i18n/index.ts'
import { lostOf, reloadWithDrafts, worksInHand } from '../ui/leaving.ts'
import { setBanner } from './banner.ts'

const againMs = 10_000

/**
 * After an update the server no longer has the files that this page would load later: the new page has new ones. It is
 * taken at once, or where something typed is not saved yet, or on its way, when the person says so. A page that has only just come
 * again lacks its files for another reason: that failure is shown.
 */
export function takeNewVersion(): void {
  const works = worksInHand()
  if (works.length > 0) {
    const lost = lostOf(works)
    setBanner({
      id: 'version',
      version: 'new',
      message: i18n.t('shell.newVersion'),
      detail: lost ? i18n.t('shell.newVersionPart', { lost }) : i18n.t('shell.newVersionKept'),
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
