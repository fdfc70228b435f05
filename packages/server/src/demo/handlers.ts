import type { Handlers } from '../mount.ts'
import { notFound } from '../refusal.ts'

export const demo: Handlers<'demo'> = {
  start: ({ count }, { app }) => app.demo.start(count),
  list: (_, { app }) => app.demo.list(),
  stop: (_, { app }) => app.demo.stop(),

  async fault({ UUID, fault }, { app }) {
    const cameras = await app.demo.fault(UUID, fault)
    const camera = cameras.find((one) => one.UUID === UUID)
    if (!camera) throw notFound()
    return camera
  },
}
