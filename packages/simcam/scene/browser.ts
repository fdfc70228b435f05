/** The stage in a headless Chromium, with software rendering: the same pixels on every machine with the same Chromium. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import type { Stage, StageFrame, StageInfo } from './stage/stage.ts'

const origin = 'http://stage.invalid'
const here = fileURLToPath(new URL('.', import.meta.url))
const three = dirname(dirname(createRequire(import.meta.url).resolve('three')))
/** Folders that the page may load from. */
const folders: Record<string, string> = {
  stage: join(here, 'stage'),
  domain: join(here, '../../domain/src'),
  three,
}
const page = `<!doctype html><script type="importmap">${JSON.stringify({
  imports: {
    three: `${origin}/three/build/three.module.js`,
    'three/addons/': `${origin}/three/examples/jsm/`,
    '@sightline/domain': `${origin}/domain/index.ts`,
  },
})}</script>`

export type StageBrowser = {
  info: StageInfo
  frame(second: number, quality?: number): Promise<StageFrame>
  close(): Promise<void>
}

/** @throws Error when there is no Chromium, or the page fails */
export async function openStage(scene: string, width: number, height: number, seed: number): Promise<StageBrowser> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [
      ...['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  const tab = await browser.newPage()
  tab.on('pageerror', (error) => console.error(`In the page: ${error.message}`))
  await tab.route('**/*', (route) => {
    const path = new URL(route.request().url()).pathname
    return route.fulfill(path === '/' ? { contentType: 'text/html', body: page } : script(path))
  })
  await tab.goto(`${origin}/`)
  const stage = await tab.evaluateHandle(
    async ([module, name, w, h, start]) => {
      const { createStage } = (await import(module)) as typeof import('./stage/stage.ts')
      return createStage(name, w, h, start)
    },
    [`${origin}/stage/stage.ts`, scene, width, height, seed] as const,
  )
  return {
    info: await stage.evaluate((made: Stage) => made.info),
    frame: (second, quality) => stage.evaluate((made: Stage, [t, q]) => made.frame(t, q), [second, quality] as const),
    close: () => browser.close(),
  }
}

/** A module of one of the folders; TypeScript without its types, as Node itself runs it. */
function script(path: string): { status?: number; contentType: string; body: string } {
  const [, folder = '', ...rest] = path.split('/')
  const root = folders[folder]
  const file = root && join(root, ...rest)
  if (!file || rest.includes('..') || !existsSync(file)) return { status: 404, contentType: 'text/plain', body: '' }
  const text = readFileSync(file, 'utf8')
  return { contentType: 'text/javascript', body: file.endsWith('.ts') ? stripTypeScriptTypes(text) : text }
}

function chromiumPath(): string {
  const known = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
  const found = known.find((path) => path && existsSync(path))
  if (!found) throw new Error('Rendering needs Chromium: set CHROMIUM to its path.')
  return found
}
