/**
 * Who this nimble is and whom it belongs to, as files of its data folder: `key` (its private key, for the owner's eyes
 * alone), `key.pub`, and `enrolment.json` (the portal's key, the id by which the portal calls it, and where to dial it).
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hello, LinkFault } from '@sightline/contract/edge'
import { createLinkKey, type LinkKey, openLinkKey } from '@sightline/contract/key'
import * as z from 'zod'

const enrolment = z.object({
  nimble_id: z.uuid(),
  instance_id: z.uuid(),
  portal_key: z.string(),
  /** Origin of the portal, where this nimble dials it. */
  portal_url: z.url().optional(),
})
export type Enrolment = z.infer<typeof enrolment>

export type Identity = {
  key: LinkKey
  /** For TLS. */
  privatePem: string
  /** Read anew each time: the start command may write it while the nimble runs. */
  enrolment(): Enrolment | null
  enrol(enrolment: Enrolment): void
}

/** Opens the key in `folder`, making one at first. @throws when the folder or the key cannot be used */
export async function openIdentity(folder: string): Promise<Identity> {
  const keyFile = join(folder, 'key')
  if (!existsSync(keyFile)) writeFileSync(keyFile, pem(await createLinkKey()), { mode: 0o600, flag: 'wx' })
  const privatePem = readFileSync(keyFile, 'utf8')
  const key = await openLinkKey(privatePem.replace(/-----[^\n]+-----|\s/g, ''))
  replaceFile(join(folder, 'key.pub'), `${key.publicKey}\n`)
  const file = join(folder, 'enrolment.json')
  return {
    key,
    privatePem,
    enrolment: () => (existsSync(file) ? enrolment.parse(JSON.parse(readFileSync(file, 'utf8'))) : null),
    enrol: (value) => replaceFile(file, JSON.stringify(value)),
  }
}

/**
 * Whether the nimble belongs to this portal. Without an enrolment the first portal that proves its key is trusted, unless
 * the start command is still to write one (`awaitsEnrolment`).
 */
export function portalFault(portal: Hello, enrolled: Enrolment | null, awaitsEnrolment: boolean): LinkFault | null {
  if (portal.id === null) return 'not_a_nimble'
  if (enrolled === null) return awaitsEnrolment ? 'enrolled_elsewhere' : null
  return enrolled.portal_key === portal.public_key ? null : 'enrolled_elsewhere'
}

const pem = (pkcs8: string): string => `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`

/** Readers see the old file or the new one, never half of it. */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  writeFileSync(`${path}.new`, text, { mode, flush: true })
  renameSync(`${path}.new`, path)
}
