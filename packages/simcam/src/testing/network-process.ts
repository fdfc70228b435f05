/** The cameras of `network.ts`, at the hosts named as arguments, some by https alone; what happens is told in lines of JSON on the standard output. */
import { startCamera } from '../camera.ts'
import { openDiscovery } from '../discovery.ts'

export type Said = { type: 'ready' } | { type: 'answered'; uuid: string; at: number }

const say = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`)

const https = 'https://'
for (const [i, address] of process.argv.slice(2).entries()) {
  const host = address.replace(https, '')
  const uuid = crypto.randomUUID()
  const discovery = await openDiscovery(host, {
    isAlone: true,
    onAnswer: () => say({ type: 'answered', uuid, at: Date.now() }),
  })
  if (address.startsWith(https)) {
    discovery.announce({ uuid, xaddr: `${address}/onvif/device_service`, scopes: [] })
    continue
  }
  const who = { username: 'admin', password: 'network', name: `Camera ${i + 1}`, uuid }
  await startCamera({ scene: 'lobby', host, ...who, discovery })
}
say({ type: 'ready' })
