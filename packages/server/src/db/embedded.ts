import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Account, serverFolder } from './account.ts'
import { type Binaries, installBinaries, renameUnlessThere } from './binaries.ts'
import { DatabaseTrouble } from './trouble.ts'

/** How to connect: a Unix socket that only the server's user and root can reach, hence no password. */
export type Connection = { host: string; port: number; user: string; database: string }

export type EmbeddedServer = {
  connection: Connection
  /** Whether a server that an earlier portal left running was taken over. */
  adopted: boolean
  /** Process id of the server now; changes when it was started again after a crash. */
  pid(): number
  /** Ends the server in order; transactions in progress are rolled back. */
  stop(): Promise<void>
}

export type EmbeddedOptions = {
  dataDir: string
  /** Lines worth a log entry: restarts, recovery. */
  log?: (sentence: string) => void
  /** Where the server's folder goes when its user cannot enter `dataDir`. */
  elsewhere?: string
  /** Programs of another PostgreSQL release, or ones already copied. */
  binaries?: Binaries
  /** More settings of the server, `name=value`. */
  settings?: readonly string[]
}

const port = 5432
const stopSeconds = 10
const claimSeconds = 5
const logBytes = 10 * 1024 * 1024
/** A socket path longer than this does not fit the kernel's address (108 bytes with the final zero). */
const socketPathBytes = 107

type Server = {
  folder: string
  data: string
  sockets: string
  log: string
  account: Account
  binaries: Binaries
  settings: readonly string[]
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, or takes over one that is still running there. Creates the cluster on
 * first use. A server that dies is started again, with its own crash recovery, until `stop`.
 * @throws DatabaseTrouble with one sentence that says what to do
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const server = inWords(options.dataDir, () => prepare(options))
  const connection = { host: server.sockets, port, user: 'postgres', database: 'postgres' }
  const say = options.log ?? (() => undefined)

  let pid = await adopt(server, connection)
  const adopted = pid !== null
  pid ??= await launch(server, connection)
  let claimed = await claim(connection, options.dataDir)

  let stopping = false
  let restarting: Promise<void> | null = null
  // Polling covers both our own child and an adopted server, which sends us no signal when it ends.
  const watch = setInterval(() => {
    if (stopping || restarting || (pid !== null && isAlive(pid))) return
    say('The database server ended unexpectedly; starting it again')
    restarting = restart().finally(() => {
      restarting = null
    })
  }, 500)
  watch.unref()

  async function restart() {
    for (let attempt = 0; !stopping; attempt++) {
      try {
        pid = await launch(server, connection)
        claimed = await claim(connection, options.dataDir)
        return say('The database server is running again')
      } catch (error) {
        // Its last backends may hold the shared memory for a moment; a full disk may be emptied.
        say(`The database server does not start: ${error instanceof Error ? error.message : String(error)}`)
        await wait(Math.min(500 * 2 ** attempt, 10_000), undefined, { ref: false })
      }
    }
  }

  return {
    connection,
    adopted,
    pid: () => pid as number,
    async stop() {
      stopping = true
      clearInterval(watch)
      await restarting
      await claimed.end().catch(() => undefined)
      await stopServer(pid as number)
    },
  }
}

/** Turns errors of the file system into a sentence. */
function inWords<T>(dataDir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof DatabaseTrouble) throw error
    const { code, path: at } = error as NodeJS.ErrnoException
    const where = at ?? dataDir
    // Copying a folder reports a full disk as a failure of the device.
    if (code === 'ENOSPC' || code === 'EDQUOT' || (code === 'EIO' && isFull(dataDir)))
      throw new DatabaseTrouble(`The disk of ${dataDir} is full. Free some space and start again.`, { cause: error })
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
      throw new DatabaseTrouble(
        `The data folder cannot be written (${where}). Give this user the right to write there, or set DATA_DIR to another folder.`,
        { cause: error },
      )
    throw error
  }
}

const isFull = (folder: string) => {
  const { bavail, bsize } = fs.statfsSync(folder)
  return bavail * bsize < 16 * 1024 * 1024
}

/** Folders, programs and, on first use, the cluster. */
function prepare(options: EmbeddedOptions): Server {
  const { folder, account } = serverFolder(path.resolve(options.dataDir), options.elsewhere)
  const data = path.join(folder, 'data')
  const own = process.getuid?.()
  const owner = fs.statSync(data, { throwIfNoEntry: false })?.uid
  if (!account && owner !== undefined && owner !== own)
    throw new DatabaseTrouble(
      `The database in ${folder} belongs to another user (id ${owner}). Start the portal as that user, or set DATA_DIR to another folder.`,
    )
  const binaries = options.binaries ?? installBinaries(path.join(folder, 'bin'))
  const server: Server = {
    folder,
    data,
    sockets: socketFolder(folder, account),
    log: path.join(folder, 'server.log'),
    account,
    binaries,
    settings: options.settings ?? [],
  }
  if (!fs.existsSync(data)) createCluster(server)
  const version = readIfThere(path.join(data, 'PG_VERSION'))?.trim()
  if (!version)
    throw new DatabaseTrouble(
      `${data} is not a database, or a damaged one. Move it away to start empty, or restore it from a backup.`,
    )
  if (version !== binaries.major)
    throw new DatabaseTrouble(
      `The database in ${data} was written by PostgreSQL ${version}, this portal brings PostgreSQL ${binaries.major}. Start the portal version that wrote it, back up, and restore the backup into a new DATA_DIR.`,
    )
  return server
}

function readIfThere(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** How another program of the same user reaches the server of `dataDir` while a portal runs it. */
export function embeddedConnection(dataDir: string): Connection {
  const { folder, account } = serverFolder(path.resolve(dataDir))
  return { host: socketFolder(folder, account), port, user: 'postgres', database: 'postgres' }
}

/** A folder of mode 700 for the socket: the server trusts whoever can reach it. */
function socketFolder(folder: string, account: Account): string {
  const beside = path.join(folder, 'run')
  const fits = Buffer.byteLength(path.join(beside, `.s.PGSQL.${port}.lock`)) <= socketPathBytes
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12)
  const sockets = fits ? beside : path.join(os.tmpdir(), `sl-${hash}`)
  const uid = account?.uid ?? process.getuid?.()
  fs.mkdirSync(sockets, { recursive: true, mode: 0o700 })
  const found = fs.lstatSync(sockets)
  // In a shared temporary folder someone else may have been there first.
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== process.getuid?.()))
    throw new DatabaseTrouble(`The folder ${sockets} belongs to somebody else. Set DATA_DIR to a shorter path.`)
  if (account) fs.chownSync(sockets, account.uid, account.gid)
  fs.chmodSync(sockets, 0o700)
  return sockets
}

const asAccount = (account: Account) => ({ ...(account ?? {}), cwd: '/' })
/** The server's surroundings: nothing of the portal's environment, plain English messages. */
const environment = () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' })

/** initdb under a draft name; the rename makes a half-made cluster impossible. */
function createCluster(server: Server) {
  const draft = path.join(server.folder, `data.${process.pid}.tmp`)
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  if (server.account) fs.chownSync(draft, server.account.uid, server.account.gid)
  // locale C: the order of an index does not change when the folder moves to another system.
  const args = ['-D', draft, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions']
  const made = spawnSync(path.join(server.binaries.bin, 'initdb'), args, {
    ...asAccount(server.account),
    env: environment(),
    encoding: 'utf8',
  })
  if (made.status !== 0) {
    fs.rmSync(draft, { recursive: true, force: true })
    throw failure('The database could not be created', `${made.stderr ?? ''}${made.error?.message ?? ''}`, server)
  }
  renameUnlessThere(draft, server.data)
}

/** One sentence for the causes we know, else the server's own last words. */
function failure(what: string, words: string, server: Server): DatabaseTrouble {
  if (/No space left on device|Disk quota exceeded/.test(words))
    return new DatabaseTrouble(`The disk of ${server.folder} is full. Free some space and start again.`)
  if (
    /could not (open|read|find|locate)|invalid (checkpoint|primary|data)|directory .* does not exist|incorrect checksum|PANIC/.test(
      words,
    )
  )
    return new DatabaseTrouble(
      `The database in ${server.data} is damaged. Restore it from a backup into a new DATA_DIR. The server said: ${lastLines(words, 5)}`,
    )
  return new DatabaseTrouble(`${what}. The server said: ${lastLines(words, 20)}`)
}

const lastLines = (text: string, count: number) => text.trim().split('\n').slice(-count).join(' | ') || 'nothing'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // A child that ended and was not collected yet still answers signals.
  return !/^\d+ \(.*\) Z/.test(readIfThere(`/proc/${pid}/stat`) ?? '')
}

const commandLine = (pid: number): string =>
  readIfThere(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ??
  spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout

/** The server that `postmaster.pid` names, when it runs and is one on our folder. */
function runningServer(server: Server): number | null {
  const file = path.join(server.data, 'postmaster.pid')
  const pid = Number(readIfThere(file)?.split('\n')[0])
  if (!pid) return null
  const command = isAlive(pid) ? commandLine(pid) : ''
  if (command.includes('postgres') && command.includes(server.data)) return pid
  // The number went to another program (after a reboot, in a container): the server would refuse to start beside it.
  if (command !== '') fs.rmSync(file)
  return null
}

/** Takes over a server that an earlier portal left behind; one that does not answer is ended. */
async function adopt(server: Server, connection: Connection): Promise<number | null> {
  const pid = runningServer(server)
  if (pid === null) return null
  if (await answers(connection, () => isAlive(pid), 5)) return pid
  await stopServer(pid)
  return null
}

/**
 * Makes sure that no other portal works on this folder: a lock that lives as long as the connection that took it, so
 * a killed portal leaves nothing behind. Its last connections need a moment to notice the end, hence the patience.
 */
async function claim(connection: Connection, dataDir: string): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: `sightline portal ${process.pid}` })
  // It breaks when the server does; the restart takes a new one.
  client.on('error', () => undefined)
  await client.connect()
  for (const until = Date.now() + claimSeconds * 1000; ; await wait(100)) {
    const { rows } = await client.query(`select pg_try_advisory_lock(hashtext('sightline.portal')) as mine`)
    if (rows[0].mine) return client
    if (Date.now() > until) break
  }
  const { rows } = await client.query(`select substring(application_name from '\\d+$') as portal from pg_stat_activity
    where pid in (select pid from pg_locks where locktype = 'advisory' and granted) and application_name like 'sightline portal %'`)
  await client.end()
  throw new DatabaseTrouble(
    `Another portal (process ${rows[0]?.portal ?? 'unknown'}) already runs on ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
  )
}

async function launch(server: Server, connection: Connection): Promise<number> {
  if ((fs.statSync(server.log, { throwIfNoEntry: false })?.size ?? 0) > logBytes) fs.truncateSync(server.log)
  const log = fs.openSync(server.log, 'a')
  const from = fs.fstatSync(log).size
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${server.sockets}`,
    'unix_socket_permissions=0700',
    `port=${port}`,
    'max_connections=40',
    'logging_collector=off',
    // Fewer checkpoints, fewer whole pages in the log: it is the log that ingest pays for.
    'checkpoint_timeout=15min',
    'max_wal_size=2GB',
    'log_checkpoints=off',
    'jit=off',
    'timezone=UTC',
    ...server.settings,
  ]
  // A process group of its own, and a file for its words: it must outlive Ctrl-C in the terminal until the portal has
  // closed its connections, and a killed portal.
  const child: ChildProcess = spawn(
    path.join(server.binaries.bin, 'postgres'),
    ['-D', server.data, ...settings.flatMap((setting) => ['-c', setting])],
    { ...asAccount(server.account), env: environment(), detached: true, stdio: ['ignore', log, log] },
  )
  fs.closeSync(log)
  let ended: string | null = null
  child.once('exit', (code, signal) => {
    ended = `exit ${code ?? signal}`
  })
  child.once('error', (error) => {
    ended = error.message
  })
  child.unref()
  // Crash recovery of a large database takes minutes: as long as the process lives, it is on its way.
  if (await answers(connection, () => ended === null, 900)) return child.pid as number
  const words = fs.readFileSync(server.log).subarray(from).toString()
  throw failure('The database server did not start', words || (ended ?? ''), server)
}

/** Waits until the server takes connections; false when it ended or `seconds` went by. */
async function answers(connection: Connection, lives: () => boolean, seconds: number): Promise<boolean> {
  const until = Date.now() + seconds * 1000
  while (lives() && Date.now() < until) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query('select 1')
      return true
    } catch {
      // Not yet.
      await wait(20)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return false
}

/** SIGINT: a fast, orderly end. SIGQUIT when that takes too long; never SIGKILL, which leaves shared memory behind. */
async function stopServer(pid: number) {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isAlive(pid)) return
    process.kill(pid, signal)
    const until = Date.now() + stopSeconds * 1000
    while (isAlive(pid) && Date.now() < until) await wait(20)
  }
}
