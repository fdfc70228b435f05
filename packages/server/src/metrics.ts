import { createServer, type Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { readDisk } from './disk.ts'

export type Metrics = { listen(port: number): Promise<Server>; registry: Registry }

/** Prometheus figures of this process. They have a listener of their own, on loopback, so that no proxy publishes them. */
export function collectMetrics(app: FastifyInstance, dataDir: string): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'sightline_http_request_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  new Gauge({
    name: 'sightline_websockets',
    help: 'Open WebSockets of browsers',
    registers: [registry],
    collect() {
      this.set(app.websocketServer.clients.size)
    },
  })
  new Gauge({
    name: 'sightline_disk_used_ratio',
    help: 'Used share of the volume of DATA_DIR. With the database in it: from 0.92 the oldest day of events goes every hour, from 0.97 none is stored',
    registers: [registry],
    async collect() {
      const { use } = await readDisk(dataDir).catch(() => ({ use: Number.NaN }))
      this.set(use)
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  return {
    registry,
    listen: (port) =>
      new Promise((done, failed) => {
        const server = createServer(async (request, response) => {
          if (request.url !== '/metrics') return void response.writeHead(404).end()
          try {
            const figures = await registry.metrics()
            response.writeHead(200, { 'content-type': registry.contentType }).end(figures)
          } catch (error) {
            // Nobody else would catch it, and the portal ended with it.
            app.log.warn({ err: error }, 'the metrics could not be read')
            response.writeHead(500).end()
          }
        })
        server.once('error', failed).listen(port, '127.0.0.1', () => done(server))
      }),
  }
}
