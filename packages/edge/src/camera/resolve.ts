import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

const usualTimeoutMs = 5000
/**
 * The system's resolver (hosts file, mDNS) holds a thread of the pool that files need too, for as long as the name server
 * is silent: of the four, two stay free.
 */
const mostAtOnce = 2

/** Of the system: it cannot be called off. */
type LookUp = (host: string) => Promise<{ address: string }[]>
/** One question about a host, however many wait for its answer. */
type Question = PromiseWithResolvers<string[]> & { host: string; waiting: number }

export function createResolver(lookUp: LookUp, timeoutMs = usualTimeoutMs) {
  const asked = new Map<string, Question>()
  /** Not asked yet, oldest first. */
  const queue: Question[] = []
  let running = 0

  const goOn = () => {
    while (running < mostAtOnce) {
      const next = queue.shift()
      if (!next) return
      running += 1
      lookUp(next.host)
        .then((answers) => next.resolve(answers.map(({ address }) => address)), next.reject)
        .finally(() => {
          running -= 1
          asked.delete(next.host)
          goOn()
        })
    }
  }
  const ask = (host: string): Question => {
    const question = { ...Promise.withResolvers<string[]>(), host, waiting: 0 }
    // It may come after all have gone.
    question.promise.catch(() => undefined)
    asked.set(host, question)
    queue.push(question)
    goOn()
    return question
  }
  /** What nobody waits for any more is not asked; what is being asked goes on, for whoever asks next. */
  const leave = (question: Question) => {
    question.waiting -= 1
    const place = queue.indexOf(question)
    if (question.waiting > 0 || place < 0) return
    queue.splice(place, 1)
    asked.delete(question.host)
  }

  return async (host: string): Promise<string[]> => {
    if (ipaddr.isValid(host) && /[.:]/.test(host)) return [host]
    const question = asked.get(host) ?? ask(host)
    question.waiting += 1
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('The name server does not answer.')), timeoutMs)
    try {
      return await Promise.race([question.promise, late.promise])
    } finally {
      clearTimeout(timer)
      leave(question)
    }
  }
}

/** Every address of a host, IPv4 first; addresses pass as they are. Rejects when there is none within 5 s. */
export const resolveHost = createResolver((host) => lookup(host, { all: true, order: 'ipv4first' }))
