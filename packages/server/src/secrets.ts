import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Where a sealed value lives. It opens only there: a value copied to another row or column does not. */
export type SecretPlace = { table: string; column: string; row: string }

export type Secrets = {
  /** AES-256-GCM; answers text that names the key it was sealed with. */
  seal(text: string, place: SecretPlace): string
  /** @throws when the value was changed, moved, or sealed with another key */
  open(sealed: string, place: SecretPlace): string
  /** Mixed into every password hash, so that a copy of the database alone is of no use. */
  pepper: Buffer
}

const keyBytes = 32
const ivBytes = 12
const tagBytes = 16

/**
 * The key file of this instance; made at first, readable by its owner alone. Losing it loses every sealed secret and
 * every password, so it belongs with the backups, but not inside them.
 */
export function openSecrets(keyFile: string): Secrets {
  return secretsOf(readOrCreate(keyFile))
}

export function secretsOf(key: Buffer): Secrets {
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8)
  const aad = ({ table, column, row }: SecretPlace) => Buffer.from(`${table}|${column}|${row}`)
  return {
    seal(text, place) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(aad(place))
      const bytes = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `s1.${keyId}.${bytes.toString('base64url')}`
    },
    open(sealed, place) {
      const [format, id, body] = sealed.split('.')
      if (format !== 's1' || body === undefined) throw new Error('This is not a sealed secret.')
      if (id !== keyId) throw new Error(`The secret was sealed with key ${id}, but this instance has ${keyId}.`)
      const bytes = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
        .setAAD(aad(place))
        .setAuthTag(bytes.subarray(-tagBytes))
      return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    },
    pepper: Buffer.from(hkdfSync('sha256', key, '', 'sightline password pepper', keyBytes)),
  }
}

function readOrCreate(keyFile: string): Buffer {
  mkdirSync(dirname(keyFile), { recursive: true })
  try {
    writeFileSync(keyFile, `${randomBytes(keyBytes).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = Buffer.from(readFileSync(keyFile, 'utf8').trim(), 'base64url')
  if (key.length !== keyBytes) throw new Error(`${keyFile} does not hold a key of this instance.`)
  return key
}
