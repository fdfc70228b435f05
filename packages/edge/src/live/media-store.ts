/**
 * Snapshots kept at the nimble, as files named by id under one directory, until they are too old or too many; the oldest
 * go first. A full disk costs pictures, never events: `save` says false and the caller goes on.
 */
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export type MediaStore = {
  /** False when there is no room; complaints go to `log` once until there is room again. */
  save(id: string, bytes: Uint8Array): Promise<boolean>
  /** Null when it is not, or no longer, kept. */
  read(id: string): Promise<Buffer | null>
  remove(id: string): Promise<void>
  /** Removes what is too old; `save` keeps the size. */
  sweep(): Promise<void>
  usage(): { files: number; bytes: number }
  /** True when the last picture found no room. */
  isFull(): boolean
}

export type MediaLimits = { maxBytes: number; maxAgeDays: number }

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const suffix = '.jpg'
const unfinished = '.part'
const dayMs = 86_400_000
/** What a full disk or store gives up at once, so that the next picture does not need it again. */
const freedShare = 0.1

/** Reads what is there already; ids must be UUIDs. */
export async function openMediaStore(
  directory: string,
  limits: MediaLimits,
  log: (text: string) => void,
): Promise<MediaStore> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  /** Oldest first. */
  const kept = await listFiles(directory)
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
  const tryWrite = async (id: string, content: Uint8Array) => {
    try {
      await writeWhole(pathOf(id), content)
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EFBIG') throw error
      return false
    }
  }
  return {
    async save(id, content) {
      if (!uuidPattern.test(id)) throw new Error('The id of a snapshot is not a UUID.')
      if (content.length > limits.maxBytes) return false
      if (bytes + content.length > limits.maxBytes)
        await shrinkTo(Math.min(limits.maxBytes - content.length, limits.maxBytes * (1 - freedShare)))
      let isSaved = await tryWrite(id, content)
      if (!isSaved && kept.size > 0) {
        await shrinkTo(bytes * (1 - freedShare))
        isSaved = await tryWrite(id, content)
      }
      if (!isSaved && !isFull) log('The disk is full: snapshots are no longer kept. Events are.')
      isFull = !isSaved
      if (!isSaved) return false
      bytes += content.length - (kept.get(id)?.bytes ?? 0)
      kept.delete(id)
      kept.set(id, { bytes: content.length, savedAt: Date.now() })
      return true
    },
    async read(id) {
      if (!kept.has(id)) return null
      return readFile(pathOf(id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        return null
      })
    },
    remove,
    async sweep() {
      const oldest = Date.now() - limits.maxAgeDays * dayMs
      for (const [id, { savedAt }] of kept) if (savedAt < oldest) await remove(id)
    },
    usage: () => ({ files: kept.size, bytes }),
    isFull: () => isFull,
  }
}

type KeptFile = { bytes: number; savedAt: number }

async function listFiles(directory: string): Promise<Map<string, KeptFile>> {
  const found: (KeptFile & { id: string })[] = []
  for (const name of await readdir(directory)) {
    const path = join(directory, name)
    const id = name.slice(0, -suffix.length)
    if (name.endsWith(unfinished)) await rm(path, { force: true })
    else if (name.endsWith(suffix) && uuidPattern.test(id)) {
      const { size, mtimeMs } = await stat(path)
      found.push({ id, bytes: size, savedAt: mtimeMs })
    }
  }
  found.sort((a, b) => a.savedAt - b.savedAt)
  return new Map(found.map(({ id, ...file }) => [id, file]))
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
