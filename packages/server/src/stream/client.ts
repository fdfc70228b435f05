import type { StreamMessage } from '@sightline/contract'
import { type BusMessage, merged, subject } from '../bus.ts'
import type { Scope } from '../scope.ts'
import { closeCodes, type Socket } from '../sockets.ts'

/** Messages to one client are gathered this long, and those about one thing become one. */
export const tickMs = 50
/** A client with this much unsent is cut; it comes back and reads everything again. */
export const clientBacklogBytes = 1024 * 1024

/** Whether the caller may see a message: its tenant, its site, its use case, its channel, and its own jobs only. */
export function isVisible(scope: Scope, { tenantId, siteId, usecaseId, userId, message }: BusMessage): boolean {
  if (scope.tenantId !== null && scope.tenantId !== tenantId) return false
  if (siteId !== null && scope.siteIds !== null && !scope.siteIds.includes(siteId)) return false
  if (usecaseId !== undefined && scope.usecaseIds !== null && !scope.usecaseIds.includes(usecaseId)) return false
  const channel = channelOf(message)
  if (channel !== null && scope.channelUids !== null && !scope.channelUids.includes(channel)) return false
  return userId === undefined || userId === scope.principal.userId
}

/** The channel that a message is about, by its public id. */
function channelOf(message: StreamMessage): string | null {
  if (message.type === 'event') return message.channel_id
  return message.type === 'changed' && message.feature === 'channel' ? message.id : null
}

/** Hands bus messages to one socket. Answers the listener for the bus and how to change what may be seen. */
export function streamClient(
  socket: Pick<Socket<StreamMessage>, 'send' | 'bufferedBytes' | 'close' | 'gone'>,
  initialScope: Scope,
) {
  let scope = initialScope
  let timer: NodeJS.Timeout | undefined
  const pending = new Map<string, StreamMessage>()
  socket.gone.addEventListener('abort', () => clearTimeout(timer))

  function flush() {
    timer = undefined
    for (const message of pending.values()) socket.send(message)
    pending.clear()
    if (socket.bufferedBytes() > clientBacklogBytes) socket.close(closeCodes.overloaded, 'too slow')
  }

  return {
    hear(heard: BusMessage) {
      if (socket.gone.aborted || !isVisible(scope, heard)) return
      const key = subject(heard.message)
      pending.set(key, merged(pending.get(key), heard.message))
      timer ??= setTimeout(flush, tickMs)
    },
    see(newScope: Scope) {
      scope = newScope
    },
  }
}
