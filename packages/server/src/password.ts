import { readFileSync } from 'node:fs'
import { hash, verify } from '@node-rs/argon2'
import { createTurns, type Turns } from './turns.ts'

/** Cost of one hash: 64 MiB and about 60 ms. */
const cost = { algorithm: 2, memoryCost: 64 * 1024, timeCost: 3, parallelism: 1 } as const
/** A rush of sign-ins takes at most 256 MiB, and nobody waits more than some seconds: guesses beyond that are refused. */
const most = { atOnce: 4, waiting: 200 }

/** Hashing and verifying throw 503 `busy` where too many wait. */
export type Passwords = Pick<Turns, 'refuseMore'> & {
  hash(password: string): Promise<string>
  /** The work is the same when there is no hash to compare with: the time tells nobody whether an account exists. */
  verify(hashed: string | null, password: string): Promise<boolean>
}

/** argon2id with a pepper. Every character of a password counts; only its Unicode form is made one (NFKC). */
export function createPasswords(pepper: Buffer): Passwords {
  const options = { ...cost, secret: pepper }
  const turns = createTurns(most)
  let nobody: Promise<string> | undefined
  return {
    refuseMore: turns.refuseMore,
    hash: (password) => turns.take(() => hash(password.normalize('NFKC'), options)),
    async verify(hashed, password) {
      // Once, and without a turn: it is never refused.
      nobody ??= hash('nobody has this password', options)
      const against = hashed ?? (await nobody)
      const matches = await turns.take(() => verify(against, password.normalize('NFKC'), options))
      return matches && hashed !== null
    },
  }
}

/**
 * The 5,000 commonest passwords, and the commoner ones of those that would satisfy the rule of form. From the
 * dictionary of zxcvbn-ts (MIT, Dan Wheeler, Dropbox, zxcvbn-ts).
 */
const common = new Set(
  readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n'),
)
const product = ['sightline', 'portal', 'nimble', 'camera', 'administrator', 'superadmin', 'analytics']
const lookalikes: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
}
/** A word with more than this around it is no longer the word. */
const maxAround = 6

/**
 * Whether somebody who guesses would try this early: a common password or a word of the product or the person's own,
 * as it is, with look-alike characters (`p@ssw0rd`), or with a few digits and signs around it (`Summer2026!`); or
 * hardly any different characters.
 * @param own names of the person and the organization
 */
export function isCommon(password: string, own: readonly string[] = []): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  if (new Set(text).size < 5) return true
  const words = new Set([...product, ...own.flatMap(wordsOf)])
  const plain = [...text].map((character) => lookalikes[character] ?? character).join('')
  return [text, plain, ...cores(text), ...cores(plain)].some((core) => common.has(core) || words.has(core))
}

/** What is left when signs, or signs and digits, are taken from both ends. */
function cores(text: string): string[] {
  return [/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, /^\P{L}+|\P{L}+$/gu]
    .map((around) => text.replace(around, ''))
    .filter((core) => core.length >= 4 && text.length - core.length <= maxAround)
}

const wordsOf = (name: string): string[] =>
  [name, ...name.split(/[^\p{L}\p{N}]+/u)].map((word) => word.toLowerCase()).filter((word) => word.length >= 4)
