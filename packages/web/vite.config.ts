import { readdirSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const root = import.meta.dirname
const portal = process.env.PORTAL_URL ?? 'http://127.0.0.1:8080'

const screenCount = readdirSync(path.join(root, 'src/routes'), { recursive: true }).filter((name) =>
  String(name).endsWith('.tsx'),
).length

/** Writes `.br` and `.gz` beside each text asset, so that the portal never compresses at run time. */
function precompress(): Plugin {
  let outDir = ''
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      outDir = path.resolve(config.root, config.build.outDir)
    },
    async writeBundle() {
      const files = await readdir(path.join(outDir, 'assets'))
      for (const file of files.filter((name) => /\.(js|css|svg|json)$/.test(name))) {
        const whole = path.join(outDir, 'assets', file)
        const text = await readFile(whole)
        await writeFile(`${whole}.gz`, await promisify(gzip)(text, { level: 9 }))
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
        await writeFile(`${whole}.br`, await promisify(brotliCompress)(text, { params }))
      }
    },
  }
}

// Whatever environment the build runs in (a test runner's, say): what is built is for production.
if (process.argv.includes('build')) process.env.NODE_ENV = 'production'

export default defineConfig({
  root,
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      routesDirectory: path.join(root, 'src/routes'),
      generatedRouteTree: path.join(root, 'src/routeTree.gen.ts'),
      quoteStyle: 'single',
      semicolons: false,
    }),
    react(),
    precompress(),
  ],
  // The portal replaces this text with the nonce of each answer (Content-Security-Policy).
  html: { cspNonce: '__NONCE__' },
  server: { port: 5173, proxy: { '/api': { target: portal, ws: true, changeOrigin: true } } },
  build: {
    target: 'es2022',
    manifest: true,
    // Inlined assets would be data: URLs, which the policy allows for images only.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
            {
              name: 'router',
              test: /node_modules[\\/]@tanstack[\\/](react-router|router-core|history|react-query|query-core|store|react-store)/,
            },
            { name: 'i18n', test: /node_modules[\\/](i18next|react-i18next)/ },
            { name: 'zod', test: /node_modules[\\/]zod[\\/]/ },
            // Addresses and loaders of all screens, which the router must know before it shows the first.
            { name: 'routes', test: /src[\\/]routes[\\/][^?]*\.tsx$/ },
            // What all but a few screens use comes in one file: dozens of tiny ones compress badly (`budget.ts` weighs it).
            { name: 'shared', minShareCount: screenCount - 6 },
            // Each is a line or two: in files of their own they would be a third of what the first screen asks for.
            { name: 'icons', test: /icons-react/, minShareCount: 4 },
          ],
        },
      },
    },
  },
})
