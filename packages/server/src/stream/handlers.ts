import type { Handlers } from '../mount.ts'
import { version } from '../version.ts'

export const stream: Handlers<'stream'> = {
  open({ after }, { scope, app }, socket) {
    const see = app.audiences.join(socket, scope, { time: new Date().toISOString(), version }, after)
    socket.recheck((now) => {
      see(now)
      return true
    })
  },
}
