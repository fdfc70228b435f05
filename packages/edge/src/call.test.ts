import { getEventListeners, once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkPath } from '@sightline/contract/edge'
import { createLinkKey, openLinkKey } from '@sightline/contract/key'
import { openAsPortal, openingPipe } from '@sightline/contract/opening'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { callPortal } from './call.ts'
import { openIdentity } from './identity.ts'
import { pause } from './pause.ts'
import { keepingLog, until } from './testing/records.ts'

const nimbleId = '00000000-0000-7000-8000-000000000003'
const portalId = '00000000-0000-7000-8000-0000000000aa'

test('a portal that lets it in and closes at once is dialled less and less often', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'call-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const key = await openLinkKey(await createLinkKey())
  const portal = new WebSocketServer({ port: 0, host: '127.0.0.1', path: linkPath })
  onTestFinished(() => portal.close())
  const dialledAt: number[] = []
  portal.on('connection', async (socket) => {
    const pipe = openingPipe(socket, 10_000)
    await openAsPortal(pipe, { id: portalId, software: 'test portal', key }, () => null)
    dialledAt.push(performance.now())
    socket.send(JSON.stringify({ type: 'welcome', nimble_id: nimbleId, time: Date.now() }))
    socket.close(1001, 'the portal stops')
  })
  await once(portal, 'listening')
  const { port } = portal.address() as AddressInfo
  const identity = await openIdentity(folder)
  identity.enrol({
    ...{ nimble_id: nimbleId, instance_id: portalId, portal_key: key.publicKey },
    portal_url: `http://127.0.0.1:${port}`,
  })
  let opened = 0
  const door = callPortal({
    ...{ host: '', port: 0, software: 'test nimble', identity, awaitsEnrolment: false, log: keepingLog() },
    onPortal() {
      opened += 1
      return { message: () => undefined, closed: () => undefined }
    },
  })
  onTestFinished(() => door.close())
  await until(() => opened === 4, 'it has dialled four times')
  const [first = 0, second = 0, third = 0, fourth = 0] = dialledAt
  expect(fourth - third).toBeGreaterThan(1.5 * (second - first))
})

test('a pause ends with the signal, and leaves nothing at it', async () => {
  const over = new AbortController()
  for (let i = 0; i < 3; i++) await pause(1, over.signal)
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(0)
  const long = pause(600_000, over.signal)
  over.abort()
  await long
  await pause(600_000, over.signal)
})
