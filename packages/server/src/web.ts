import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { nonceOf } from './headers.ts'

/** The web app as built. */
const webRoot = fileURLToPath(new URL('../../web/dist', import.meta.url))

/**
 * Serves the web app: its files, compressed beforehand by the build, and its page for every other address that a person
 * may open. The page carries the nonce of each answer's policy and the path of the API.
 */
export async function serveWeb(app: FastifyInstance, apiBase: string, root = webRoot): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) {
    app.log.warn({ root }, 'the web app is not built: only the API is served')
    return
  }
  let page = readFileSync(join(root, 'index.html'), 'utf8')
  const sendPage = async (reply: FastifyReply) => {
    // It names the files of its own build: after another one, those of an older page are gone.
    const read = await readFile(join(root, 'index.html'), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return ''
    })
    // In the midst of a build there is none, or half of one.
    if (read.trimEnd().endsWith('</html>')) page = read
    return reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('__API_BASE__', apiBase).replaceAll('__NONCE__', nonceOf(reply.raw)))
  }

  await app.register(fastifyStatic, { root, serve: false, preCompressed: true, index: false, cacheControl: false })
  app.get('/*', { config: { access: 'public' } }, async (request, reply) => {
    const path = (request.params as { '*': string })['*']
    // No page stands in for an operation that does not exist, however its path is written.
    if (`/${path}`.toLowerCase().startsWith(`${apiBase}/`)) return reply.callNotFound()
    if (!/\.[a-z0-9]+$/.test(path)) return sendPage(reply)
    // Names under assets/ hold a hash of what they contain.
    reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    return reply.sendFile(path)
  })
}
