/**
 * Weighs what a browser loads for a screen, gzipped, from the manifest of the last build. `npm test` runs it
 * on what it built; by hand, after `npm run build`: `node packages/web/budget.ts [dist folder]`. Exit code 1 over budget.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const kilobyte = 1024
/** Screens that must stay under the limit; the others are told. */
export const limits: Record<string, { js: number; css: number }> = {
  '/login': { js: 280, css: 50 },
  '/dashboard': { js: 280, css: 50 },
}

type Chunk = { file: string; src?: string; isEntry?: boolean; imports?: string[]; css?: string[] }
/** In KB; `scripts` are the files, from the folder of the build. */
export type ScreenWeight = { path: string; js: number; css: number; scripts: string[] }

/** What each screen loads before it can run. @throws when there is no build */
export function weighScreens(dist = join(import.meta.dirname, 'dist')): ScreenWeight[] {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry)
  if (!entry) throw new Error('The manifest has no entry: build the web app first.')
  // Nothing is drawn before its words are there; those of the other languages weigh some KB more.
  const words = Object.keys(manifest).find((key) => key === 'src/i18n/en/index.ts')
  if (!words) throw new Error('The manifest has no words: where did they go?')
  const shell = Object.keys(manifest).find((key) => /^src\/routes\/_app\.tsx\?tsr-split=component$/.test(key))

  /** A chunk with everything it needs before it can run. */
  const reach = (key: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(key)) return seen
    seen.add(key)
    for (const next of manifest[key]?.imports ?? []) reach(next, seen)
    return seen
  }
  const weights = new Map<string, number>()
  const weight = (file: string): number => {
    const known = weights.get(file) ?? gzipSync(readFileSync(join(dist, file)), { level: 9 }).length
    weights.set(file, known)
    return known
  }
  const sum = (files: Iterable<string>) => [...files].reduce((total, file) => total + weight(file), 0) / kilobyte

  return Object.keys(manifest).flatMap((key) => {
    const path = pathOf(key)
    if (path === null) return []
    const isInShell = key.includes('/_app/')
    const keys = [entry, words, key, ...(isInShell && shell ? [shell] : [])].flatMap((start) => [...reach(start)])
    const chunks = [...new Set(keys)].flatMap((name) => manifest[name] ?? [])
    const scripts = [...new Set(chunks.map((chunk) => chunk.file).filter((file) => file.endsWith('.js')))]
    const styles = new Set(chunks.flatMap((chunk) => chunk.css ?? []))
    return [{ path, js: sum(scripts), css: sum(styles), scripts }]
  })
}

/** `src/routes/_app/site.index.tsx?tsr-split=component` → `/site`, null for what is no screen. */
function pathOf(source: string): string | null {
  const name = /^src\/routes\/(?:_app\/)?(.+)\.tsx\?tsr-split=component$/.exec(source)?.[1]
  if (!name || name.startsWith('__') || name.startsWith('_')) return null
  return `/${name.replace(/\.?index$/, '').replaceAll('.', '/')}`
}

if (import.meta.main) {
  const rows = weighScreens(process.argv[2])
  let isOver = false
  for (const { path, js, css } of rows.toSorted((a, b) => a.path.localeCompare(b.path))) {
    const limit = limits[path]
    const over = limit !== undefined && (js > limit.js || css > limit.css)
    isOver ||= over
    const verdict = limit ? (over ? `OVER ${limit.js} and ${limit.css}` : `within ${limit.js} and ${limit.css}`) : ''
    console.log(
      `${path.padEnd(24)} JS ${js.toFixed(0).padStart(4)} KB  CSS ${css.toFixed(0).padStart(3)} KB  ${verdict}`,
    )
  }
  for (const path of Object.keys(limits).filter((path) => !rows.some((row) => row.path === path))) {
    console.log(`${path} is not in the manifest.`)
    isOver = true
  }
  process.exitCode = isOver ? 1 : 0
}
