import type { Handlers } from '../mount.ts'
import { version } from '../version.ts'
import { streamClient } from './client.ts'

export const stream: Handlers<'stream'> = {
  open(_, { scope, app }, socket) {
    const client = streamClient(socket, scope)
    const leave = app.bus.subscribe(client.hear)
    socket.gone.addEventListener('abort', leave)
    socket.recheck((now) => {
      client.see(now)
      return true
    })
    socket.send({ type: 'hello', time: new Date().toISOString(), version })
  },
}
