/**
 * Pictures or clips kept at the nimble, as files named by id under one directory, until they are too old or too many; the
 * oldest go first, never one that is being written. A full disk costs evidence, never events: `save` and `write` say false
 * and the caller goes on.
 */
import { chmod, type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

export type MediaStore = {
  contentType: MediaKind['contentType']
  /** False when there is no room; complaints go to `log` once until there is room again. */
  save(id: string, bytes: Uint8Array): Promise<boolean>
  /** A file that grows; it is there for readers when it is finished. */
  begin(id: string): Promise<Draft>
  /** Null when it is not, or no longer, kept. */
  read(id: string): Promise<Buffer | null>
  remove(id: string): Promise<void>
  /** Makes room on a full disk for what is worth more: a tenth goes, the oldest. False when there was nothing. */
  giveUp(): Promise<boolean>
  /** Removes what is older than so many days; `save` keeps the size. */
  sweep(days: number): Promise<void>
  usage(): { files: number; bytes: number }
  /** True when the last one found no room. */
  isFull(): boolean
}

export type Draft = {
  /** False when there is no room, and from then on. @param at of bytes that are written anew; else they go to the end */
  write(bytes: Uint8Array, at?: number): Promise<boolean>
  /** Keeps what was written; nothing of an empty one stays. False when there is nothing. */
  finish(): Promise<boolean>
  /** Keeps nothing of it. */
  discard(): Promise<void>
}

export type MediaKind = {
  suffix: '.jpg' | '.mp4'
  contentType: 'image/jpeg' | 'video/mp4'
  /** What a log calls them. */
  name: string
  /** How much of a file that a crash cut off is worth keeping. */
  wholeLength?(file: Buffer): number
}
export const pictureFiles: MediaKind = { suffix: '.jpg', contentType: 'image/jpeg', name: 'snapshots' }

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const unfinished = '.part'
const dayMs = 86_400_000
/** What a full disk or store gives up at once, so that the next one does not need it again. */
const freedShare = 0.1

/** Reads what is there already; ids must be UUIDs. */
export async function openMediaStore(
  directory: string,
  { suffix, contentType, name, wholeLength }: MediaKind,
  maxBytes: number,
  log: (text: string) => void,
): Promise<MediaStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  /** Oldest first. */
  const kept = await listFiles(directory, suffix, wholeLength)
  let bytes = Array.from(kept.values()).reduce((sum, file) => sum + file.bytes, 0)
  let isFull = false

  const pathOf = (id: string) => join(directory, id + suffix)
  const remove = async (id: string) => {
    const file = kept.get(id)
    if (!file) return
    kept.delete(id)
    bytes -= file.bytes
    await rm(pathOf(id), { force: true })
  }
  const shrinkTo = async (most: number) => {
    for (const id of kept.keys()) {
      if (bytes <= most) return
      await remove(id)
    }
  }
  const attempt = async (write: () => Promise<unknown>) => {
    try {
      await write()
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EFBIG') throw error
      return false
    }
  }
  /** Writes so many bytes more, at the cost of the oldest files where there is no room. */
  const writeWithRoom = async (size: number, write: () => Promise<unknown>) => {
    if (bytes + size > maxBytes) await shrinkTo(Math.min(maxBytes - size, maxBytes * (1 - freedShare)))
    // Drafts take room too, and do not go.
    if (bytes + size > maxBytes) return false
    let isWritten = await attempt(write)
    if (!isWritten && kept.size > 0) {
      await shrinkTo(bytes * (1 - freedShare))
      isWritten = await attempt(write)
    }
    if (!isWritten && !isFull) log(`The disk is full: ${name} are no longer kept. Events are.`)
    isFull = !isWritten
    return isWritten
  }
  const take = (id: string, size: number) => {
    kept.delete(id)
    kept.set(id, { bytes: size, savedAt: Date.now() })
  }
  const checkId = (id: string) => {
    if (!uuidPattern.test(id)) throw new Error(`The id of one of the ${name} is not a UUID.`)
  }
  return {
    contentType,
    async save(id, content) {
      checkId(id)
      if (content.length > maxBytes) return false
      if (!(await writeWithRoom(content.length, () => writeWhole(pathOf(id), content)))) return false
      bytes += content.length - (kept.get(id)?.bytes ?? 0)
      take(id, content.length)
      return true
    },
    async begin(id) {
      checkId(id)
      const part = pathOf(id) + unfinished
      const file = await open(part, 'wx', 0o600)
      let length = 0
      let isLost = false
      return {
        async write(content, at) {
          if (isLost) return false
          const grows = at === undefined ? content.length : 0
          isLost = !(await writeWithRoom(grows, () => writeAll(file, content, at ?? length)))
          if (isLost) return false
          length += grows
          bytes += grows
          return true
        },
        async finish() {
          if (length > 0 && !isLost) await attempt(() => file.datasync())
          await file.close()
          if (length === 0) {
            await rm(part, { force: true })
            return false
          }
          // The write that found no room may have left a piece.
          if (isLost) await truncate(part, length)
          await rename(part, pathOf(id))
          take(id, length)
          return true
        },
        async discard() {
          isLost = true
          bytes -= length
          await file.close()
          await rm(part, { force: true })
        },
      }
    },
    async read(id) {
      if (!kept.has(id)) return null
      return readFile(pathOf(id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        return null
      })
    },
    remove,
    async giveUp() {
      if (kept.size === 0) return false
      await shrinkTo(bytes * (1 - freedShare))
      return true
    },
    async sweep(days) {
      const oldest = Date.now() - days * dayMs
      for (const [id, { savedAt }] of kept) if (savedAt < oldest) await remove(id)
    },
    usage: () => ({ files: kept.size, bytes }),
    isFull: () => isFull,
  }
}

type KeptFile = { bytes: number; savedAt: number }

async function listFiles(
  directory: string,
  suffix: string,
  wholeLength: MediaKind['wholeLength'],
): Promise<Map<string, KeptFile>> {
  const found: (KeptFile & { id: string })[] = []
  for (const name of await readdir(directory)) {
    const whole = name.endsWith(unfinished) ? name.slice(0, -unfinished.length) : name
    const id = whole.slice(0, -suffix.length)
    if (!whole.endsWith(suffix) || !uuidPattern.test(id)) continue
    if (whole !== name && !(await rescue(join(directory, name), join(directory, whole), wholeLength))) continue
    const { size, mtimeMs } = await stat(join(directory, whole))
    found.push({ id, bytes: size, savedAt: mtimeMs })
  }
  found.sort((a, b) => a.savedAt - b.savedAt)
  return new Map(found.map(({ id, ...file }) => [id, file]))
}

/** Makes a file of what a crash left half written, where that is of use; else removes it. */
async function rescue(part: string, path: string, wholeLength: MediaKind['wholeLength']): Promise<boolean> {
  const length = wholeLength ? wholeLength(await readFile(part)) : 0
  if (length === 0) {
    await rm(part, { force: true })
    return false
  }
  await truncate(part, length)
  await rename(part, path)
  return true
}

async function writeAll(file: FileHandle, content: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < content.length; )
    done += (await file.write(content, done, content.length - done, position + done)).bytesWritten
}

/** A crash leaves the whole file or none. */
async function writeWhole(path: string, content: Uint8Array): Promise<void> {
  const part = path + unfinished
  try {
    const file = await open(part, 'w', 0o600)
    try {
      await file.writeFile(content)
    } finally {
      await file.close()
    }
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}
