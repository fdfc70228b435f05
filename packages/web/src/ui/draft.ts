/** What was typed and not yet saved, kept in the tab: it survives a reload and a sign-in, and ends with the tab. */

const keyOf = (name: string) => `draft:${name}`

export function readDraft<V extends object>(name: string): Partial<V> | null {
  const text = sessionStorage.getItem(keyOf(name))
  if (!text) return null
  try {
    return JSON.parse(text) as Partial<V>
  } catch (error) {
    console.info(`The draft of ${name} cannot be read.`, error)
    return null
  }
}

/** @param secrets fields that must not be written down, such as passwords */
export function writeDraft<V extends object>(name: string, values: V, secrets: readonly (keyof V)[]): void {
  const kept = Object.fromEntries(Object.entries(values).filter(([field]) => !secrets.includes(field as keyof V)))
  sessionStorage.setItem(keyOf(name), JSON.stringify(kept))
}

export const dropDraft = (name: string): void => sessionStorage.removeItem(keyOf(name))
