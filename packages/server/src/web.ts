import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** The web app as built. */
export const webRoot = fileURLToPath(new URL('../../web/dist', import.meta.url))

/**
 * Serves the web app: its files, compressed beforehand by the build, and its page for every other path that a screen
 * may have. The page carries the nonce of each answer's policy and the path of the API.
 */
export async function serveWeb(app: FastifyInstance, apiBase: string, root = webRoot): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) {
    app.log.warn({ root }, 'the web app is not built: only the API is served')
    return
  }
  const page = readFileSync(join(root, 'index.html'), 'utf8').replaceAll('__API_BASE__', apiBase)
  const sendPage = (reply: FastifyReply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('__NONCE__', reply.cspNonce.script))

  await app.register(fastifyStatic, {
    root,
    serve: false,
    preCompressed: true,
    index: false,
    cacheControl: false,
  })
  app.get('/*', { config: { access: 'public' } }, async (request, reply) => {
    const path = (request.params as { '*': string })['*']
    if (isScreen(path)) return sendPage(reply)
    // Names under assets/ hold a hash of what they contain.
    reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    return reply.sendFile(path)
  })
}

/** Screens are lower-case words in at most four steps (`fr/channel/alert/edit`); files have a dot in their name. */
const isScreen = (path: string): boolean => /^([a-z0-9-]+(\/[a-z0-9-]+){0,3}\/?)?$/.test(path)
