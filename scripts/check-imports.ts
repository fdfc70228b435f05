/**
 * Import rules of docs/architecture.md: which package may import which, and no import of a package that is not declared
 * in the importing package.json (installation is hoisted, so Node itself would not notice).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize } from 'node:path'

/** Our packages that each may import. */
const allowed: Record<string, readonly string[]> = {
  domain: [],
  contract: ['domain'],
  server: ['domain', 'contract'],
  web: ['domain', 'contract'],
  edge: ['domain', 'contract'],
  simcam: ['domain'],
}
/** These run in the browser too. */
const withoutNode = new Set(['domain', 'contract', 'web'])
const builtins = new Set(builtinModules)
/** Files of `server` that any feature may use beside another feature's store. */
const serverShared = /^(?:[a-z-]+\.ts|db\/.*|testing\/.*)$/

export function importFaults(root: string): string[] {
  const faults: string[] = []
  for (const name of Object.keys(allowed)) {
    const folder = join(root, 'packages', name)
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const rootManifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const declared = new Set([
      ...Object.keys(manifest.dependencies ?? {}),
      ...Object.keys(manifest.optionalDependencies ?? {}),
    ])
    const declaredForTests = new Set([
      ...declared,
      ...Object.keys(manifest.devDependencies ?? {}),
      ...Object.keys(rootManifest.devDependencies),
    ])
    for (const file of sources(join(folder, 'src'))) {
      const path = file.slice(folder.length + 5)
      const forTests = /\.test\.tsx?$|(^|\/)testing\//.test(path)
      for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
        const fault = check(name, path, specifier, forTests ? declaredForTests : declared, forTests)
        if (fault) faults.push(`packages/${name}/src/${path}: imports ${specifier}: ${fault}`)
      }
    }
  }
  return faults
}

function check(name: string, path: string, specifier: string, declared: Set<string>, forTests: boolean): string | null {
  if (specifier.startsWith('.'))
    return name === 'server' || name === 'web' ? checkFeature(name, path, specifier, forTests) : null
  const base = specifier.startsWith('@')
    ? specifier.split('/').slice(0, 2).join('/')
    : (specifier.split('/')[0] as string)
  if (specifier.startsWith('node:') || builtins.has(base))
    return withoutNode.has(name) && !forTests ? `${name} runs in the browser and may not use Node` : null
  if (base.startsWith('@sightline/')) {
    const target = base.slice('@sightline/'.length)
    return forTests || allowed[name]?.includes(target) ? null : `${name} may not import ${target}`
  }
  return declared.has(base) ? null : 'not declared in its package.json'
}

/** A server feature reaches another only through its store; a web feature only through ui/, app/ and URLs. */
function checkFeature(name: string, path: string, specifier: string, forTests: boolean): string | null {
  if (forTests) return null
  const target = normalize(join(dirname(path), specifier))
  const feature = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : '')
  if (feature(path) === feature(target) || feature(path) === '') return null
  if (name === 'server') {
    if (
      serverShared.test(target) ||
      target.endsWith('/store.ts') ||
      feature(path) === 'testing' ||
      feature(path) === 'db'
    )
      return null
    return `feature ${feature(path)} may reach ${feature(target)} only through its store.ts`
  }
  const shared = ['', 'ui', 'app', 'i18n']
  if (shared.includes(feature(target)) || ['routes', 'app'].includes(feature(path))) return null
  return `feature ${feature(path)} may not import feature ${feature(target)}: share through ui/, link by URL`
}

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* sources(path)
    else if (/\.tsx?$/.test(entry.name) && !entry.name.endsWith('.gen.ts')) yield path
  }
}

/** Static imports, re-exports and dynamic imports with a literal; comments are left out. */
function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const forms = [
    /^import\s+(?:[^'"]*?\sfrom\s+)?['"]([^'"\n]+)['"]/gm,
    /^export\s+(?:type\s+)?(?:\*|\{[^}]*\})[^'"\n]*from\s+['"]([^'"\n]+)['"]/gm,
    /\bimport\(\s*['"]([^'"\n]+)['"]/g,
  ]
  return forms.flatMap((form) => [...code.matchAll(form)].map((match) => match[1] as string))
}
