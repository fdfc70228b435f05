/** Bodies as JSON, read in one way only. */
import { invalid } from './refusal.ts'

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g

/**
 * Refuses an object that names a member twice: which of the two counts differs from reader to reader, so a proxy that
 * checks a request might see another one than the portal.
 * @param json valid JSON
 * @throws 400 for the member
 */
export function refuseRepeated(json: string): void {
  /** Names of the objects around; null for a list. */
  const around: (Set<string> | null)[] = []
  let text = ''
  for (const [part] of json.matchAll(token)) {
    if (part === '{') around.push(new Set())
    else if (part === '[') around.push(null)
    else if (part === '}' || part === ']') around.pop()
    else if (part !== ':') text = part
    else {
      const name = JSON.parse(text) as string
      const names = around.at(-1)
      if (names?.has(name)) throw invalid({ [name]: ['repeated'] })
      names?.add(name)
    }
  }
}
