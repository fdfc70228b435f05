/**
 * Files of models and galleries at the edge server: fetched from the portal part by part, taken up again where they broke off, kept under
 * their SHA-256 once that is right, and removed when no channel needs them any more.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { FileState, WantedFile, Wish } from './attached.ts'

/** Asks the portal for the bytes from there on. @throws FetchRefused, LinkEnded */
export type FetchPart = (wish: Wish, from: number) => Promise<Uint8Array>
/** The portal has none; the message is a cause. */
export class FetchRefused extends Error {}
export class LinkEnded extends Error {}

export type ModelStore = {
  /** These and no others; the files of others go. */
  want(files: readonly WantedFile[]): void
  state(file: WantedFile): FileState
  /** A portal is there, or gone. */
  online(fetch: FetchPart | null): void
  /** What is under way has ended. */
  stop(): Promise<void>
}

/** After a file that arrived wrong, or a disk that refused it. */
const retryMs = 60_000
/** So often the share that is here is told. */
const toldPercent = 10

export function openModelStore(folder: string, log: Log, onChange: () => void): ModelStore {
  /** By SHA-256. */
  const ready = new Set<string>()
  const causes = new Map<string, string>()
  let wanted: readonly WantedFile[] = []
  let fetch: FetchPart | null = null
  let work: Promise<void> | null = null
  let isDue = false
  let retry: NodeJS.Timeout | null = null
  let isStopped = false
  /** Rejects at the end, so that nobody waits for an answer of the portal then. */
  const end = Promise.withResolvers<never>()
  end.promise.catch(() => undefined)

  const fileOf = ({ sha256 }: Pick<WantedFile, 'sha256'>) => join(folder, sha256)
  const partOf = ({ sha256 }: Pick<WantedFile, 'sha256'>) => join(folder, `${sha256}.part`)
  const tell = ({ sha256 }: WantedFile, cause: string | null) => {
    if (causes.get(sha256) === (cause ?? undefined)) return
    if (cause === null) causes.delete(sha256)
    else causes.set(sha256, cause)
    onChange()
  }

  /** One round at a time; whoever asks meanwhile gets another one. */
  function begin(): void {
    isDue = true
    work ??= (async () => {
      while (isDue && !isStopped) {
        isDue = false
        await round()
      }
      work = null
    })()
  }

  async function round(): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await tidy()
    } catch (error) {
      log.error('The folder of models cannot be used', error)
    }
    for (const model of wanted) {
      if (ready.has(model.sha256) || isDue || isStopped) continue
      try {
        await bring(model)
      } catch (error) {
        if (error instanceof FetchRefused) {
          tell(model, error.message)
          if (error.message !== 'model_missing') again()
        } else if (!(error instanceof LinkEnded)) {
          // The disk, most likely. After the end of a link `online` begins anew.
          log.error('A model cannot be kept', error)
          tell(model, 'model_unkept')
          again()
        }
      }
    }
  }

  function again(): void {
    if (retry) clearTimeout(retry)
    retry = setTimeout(begin, retryMs)
    retry.unref()
  }

  /** Removes what nobody wants, but for a start of what is wanted. */
  async function tidy(): Promise<void> {
    const kept = new Set(wanted.map(({ sha256 }) => sha256))
    const names = new Set(wanted.flatMap((one) => [fileOf(one), partOf(one)]))
    for (const name of await readdir(folder)) {
      if (names.has(join(folder, name))) continue
      ready.delete(name)
      // Where a running model holds its file (Windows), the next round removes it.
      await rm(join(folder, name), { force: true }).catch((error: unknown) =>
        log.warn('An old model cannot be removed yet', error),
      )
    }
    for (const sha256 of [...causes.keys()]) if (!kept.has(sha256)) causes.delete(sha256)
  }

  async function bring(model: WantedFile): Promise<void> {
    const file = fileOf(model)
    if ((await sizeOf(file)) === model.size && (await hashOf(file)) === model.sha256) return keep(model)
    await rm(file, { force: true })
    if (!fetch) return
    if (!(await download(model, fetch))) return
    if ((await hashOf(partOf(model))) !== model.sha256) {
      await rm(partOf(model), { force: true })
      throw new FetchRefused('model_corrupt')
    }
    await rename(partOf(model), file)
    keep(model)
  }

  function keep(model: WantedFile): void {
    ready.add(model.sha256)
    causes.delete(model.sha256)
    onChange()
  }

  /** False when something else is wanted meanwhile, or this ends: what came so far stays. */
  async function download(model: WantedFile, fetchPart: FetchPart): Promise<boolean> {
    const part = await open(partOf(model), 'a', 0o600)
    try {
      let size = (await part.stat()).size
      if (size > model.size) {
        await part.truncate(0)
        size = 0
      }
      while (size < model.size) {
        const percent = Math.floor((100 * size) / model.size / toldPercent) * toldPercent
        tell(model, `model_loading:${percent}`)
        const bytes = await Promise.race([fetchPart(model.wish, size), end.promise])
        if (bytes.length === 0 || size + bytes.length > model.size) {
          await part.truncate(0)
          throw new FetchRefused('model_corrupt')
        }
        await part.write(bytes)
        size += bytes.length
        if (isStopped || !wanted.some(({ sha256 }) => sha256 === model.sha256)) return false
      }
      await part.sync()
      return true
    } finally {
      await part.close()
    }
  }

  return {
    want(models) {
      wanted = models
      begin()
    },
    state(model) {
      if (ready.has(model.sha256)) return { file: fileOf(model) }
      return { cause: causes.get(model.sha256) ?? 'model_loading:0' }
    },
    online(next) {
      fetch = next
      if (next) begin()
    },
    async stop() {
      isStopped = true
      end.reject(new LinkEnded())
      if (retry) clearTimeout(retry)
      await work
    },
  }
}

const sizeOf = (file: string): Promise<number | null> =>
  stat(file).then(
    ({ size }) => size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    },
  )

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
