import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseTrouble } from './trouble.ts'

/** The user whom the server runs as; null: as this process. */
export type Account = { uid: number; gid: number } | null

/**
 * PostgreSQL refuses to run as root, and a user id without an entry in the list of accounts fails too. A root starter
 * hands over to the owner of an existing cluster, else to `postgres`, else to `nobody`.
 */
export function serverAccount(cluster: string): Account {
  if (process.getuid?.() !== 0) return null
  const accounts = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
  const owner = fs.statSync(cluster, { throwIfNoEntry: false })?.uid
  const chosen =
    accounts.find((account) => owner !== undefined && owner !== 0 && account.uid === owner) ??
    accounts.find((account) => account.name === 'postgres') ??
    accounts.find((account) => account.name === 'nobody')
  if (!chosen)
    throw new DatabaseTrouble(
      'The built-in database does not run as root, and this system has neither a user postgres nor a user nobody. Start the portal as another user, or set DATABASE_URL.',
    )
  return { uid: chosen.uid, gid: chosen.gid }
}

const mayEnter = (folder: string, account: { uid: number; gid: number }): boolean => {
  const { uid, gid, mode } = fs.statSync(folder)
  return (mode & (uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001)) !== 0
}

/** Whether the account can reach a folder: it must be allowed to pass through every folder above. */
function reaches(folder: string, account: { uid: number; gid: number }): boolean {
  for (let at = fs.realpathSync(folder); ; at = path.dirname(at)) {
    if (!mayEnter(at, account)) return false
    if (at === path.dirname(at)) return true
  }
}

/**
 * The folder of everything that belongs to the server: `<dataDir>/postgres`. Where the server's account cannot get
 * there (a data folder in root's home), that is a link to a folder of its own under `elsewhere`.
 */
export function serverFolder(dataDir: string, elsewhere = '/var/lib/sightline'): { folder: string; account: Account } {
  const folder = path.join(dataDir, 'postgres')
  fs.mkdirSync(dataDir, { recursive: true })
  const account = serverAccount(path.join(folder, 'data'))
  // The data folder is ours: others may pass through it (its secrets are files of mode 600), never list it.
  if (account && !mayEnter(dataDir, account)) fs.chmodSync(dataDir, fs.statSync(dataDir).mode | 0o011)
  if (!fs.existsSync(folder) && account && !reaches(dataDir, account)) {
    const own = path.join(elsewhere, `postgres-${randomBytes(6).toString('hex')}`)
    try {
      fs.mkdirSync(elsewhere, { recursive: true, mode: 0o755 })
      fs.mkdirSync(own, { mode: 0o755 })
      if (!reaches(own, account)) throw new Error(`${elsewhere} is closed to user ${account.uid}`)
      fs.symlinkSync(own, folder)
    } catch (error) {
      throw new DatabaseTrouble(
        `The database does not run as root, and no other user can enter ${dataDir}. Set DATA_DIR to a folder that everyone may pass through, or start the portal as another user.`,
        { cause: error },
      )
    }
  }
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
  return { folder: fs.realpathSync(folder), account }
}
