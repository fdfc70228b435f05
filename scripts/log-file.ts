import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type LogFile = { write(chunk: Uint8Array): void; close(): void }

/**
 * `<dir>/<name>.log`, appended to. Beyond `maxBytes` it becomes `<name>.log.1`, which replaces the one before, and a new
 * one begins, while the program runs too: the two never take more than twice that. What cannot be written (a full disk)
 * is left out; `onTrouble` hears of it once, until writing works again.
 */
export function openLogFile(dir: string, name: string, maxBytes: number, onTrouble: (error: Error) => void): LogFile {
  mkdirSync(dir, { recursive: true })
  const path = join(dir, `${name}.log`)
  let fd: number | null = null
  let size = 0
  let inTrouble = false

  const open = () => {
    fd = openSync(path, 'a', 0o600)
    size = fstatSync(fd).size
    return fd
  }
  const close = () => {
    if (fd !== null) closeSync(fd)
    fd = null
  }
  return {
    write(chunk) {
      try {
        let file = fd ?? open()
        if (size > 0 && size + chunk.length > maxBytes) {
          close()
          renameSync(path, `${path}.1`)
          file = open()
        }
        size += writeSync(file, chunk)
        inTrouble = false
      } catch (error) {
        if (!inTrouble) onTrouble(error as Error)
        inTrouble = true
      }
    },
    close,
  }
}
