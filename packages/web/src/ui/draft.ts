/** What was typed and not yet saved, kept in the tab: it survives a reload and a sign-in, and ends with the tab. */
import { session } from '../session.ts'

/** Of whoever types it: another person at the same tab does not meet it. */
const keyOf = (name: string) => `draft:${session.get()?.user_id ?? ''}:${name}`

export function readDraft<T extends object>(name: string): T | null {
  dropOthers()
  const text = sessionStorage.getItem(keyOf(name))
  if (!text) return null
  try {
    return JSON.parse(text) as T
  } catch (error) {
    console.info(`The draft of ${name} cannot be read.`, error)
    return null
  }
}

/** Without passwords: whoever calls it leaves them out. @returns whether the tab could keep it */
export function writeDraft(name: string, draft: object): boolean {
  try {
    sessionStorage.setItem(keyOf(name), draftText(draft))
    return true
  } catch (error) {
    // The tab's store is full. An older state of it would come back as if it were the last.
    console.info(`The draft of ${name} is too large to be kept.`, error)
    dropDraft(name)
    return false
  }
}

export const dropDraft = (name: string): void => sessionStorage.removeItem(keyOf(name))

/** A session that ends by itself leaves them in the tab, for the same person: they go when somebody else begins here. */
function dropOthers(): void {
  if (!session.get()) return
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith('draft:') && !key.startsWith(keyOf(''))) sessionStorage.removeItem(key)
}

/** As JSON. A person and a password inside an address are refused when it is sent, and not written down before. */
export const draftText = (draft: object): string =>
  JSON.stringify(draft, (_, value) =>
    typeof value === 'string' ? value.replace(/([a-z][a-z\d+.-]*:\/\/)[^/?#\s]*@/gi, '$1') : value,
  )
