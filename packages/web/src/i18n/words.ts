import type { Words } from '../api-text.ts'
import { message } from './en/message.ts'
import { i18n, pairs } from './index.ts'

/** `greater_than:0` → its id and the argument of its text. */
const split = (id: string): [id: string, argument: string | undefined] => {
  const colon = id.indexOf(':')
  return colon === -1 ? [id, undefined] : [id.slice(0, colon), id.slice(colon + 1)]
}

const isKnown = (id: string): id is keyof typeof message => Object.hasOwn(message, id)

/** Text of a message id, with the argument after its colon as {{0}}; null when no catalogue knows it. */
export function messageText(message: string, args: Record<string, string | number> = {}): string | null {
  const [id, argument] = split(message)
  // Arguments come from the server by name; the types could only ask for those of every message at once.
  const translate = i18n.t as (key: string, args: Record<string, string | number>) => string
  return isKnown(id) ? translate(`message.${id}`, { 0: argument ?? '', ...args }) : null
}

/** Text of a field's message id; an unknown one reads as "not valid". */
export const fieldText = (message: string): string => messageText(message) ?? i18n.t('message.invalid')

/** Text of the cause that a camera, an analytic or an edge server gives; an unknown id is shown as it is. */
export const causeText = (message: string, args?: Record<string, string | number>): string =>
  messageText(message, args) ?? message

export const words: Words = {
  pair: (op) => pairs()[op],
  refusal: messageText,
  field: fieldText,
  empty: (op) => {
    const texts: Partial<Record<typeof op, string>> = {
      'customer.list': i18n.t('empty.customer'),
      'organization.list': i18n.t('empty.organization'),
      'source.mapping': i18n.t('empty.mapping'),
    }
    const text = texts[op]
    return text ? { type: op === 'customer.list' ? 'info' : 'warning', text } : null
  },
  timeout: () => i18n.t('message.timeout'),
}
