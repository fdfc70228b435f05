import { createHash, randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { type SimulatedCamera, startCamera } from './camera.ts'
import { parseJpeg } from './jpeg.ts'
import { clockWindowMs } from './soap.ts'
import { onvifClient } from './testing/onvif-client.ts'

const running: SimulatedCamera[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((camera) => camera.stop()))
})

const password = 'p@ss:w/rd#1'
async function camera(clockOffsetMs = 0) {
  const started = await startCamera({
    scene: 'warehouse',
    host: '127.0.0.1',
    username: 'admin',
    password,
    name: 'Ware & house',
    uuid: 'b6b1c3e2-8f0a-8b44-9f5e-2d8f3a6c7e10',
    clockOffsetMs,
  })
  running.push(started)
  return started
}

describe('an independent client (npm onvif)', () => {
  const client = (made: SimulatedCamera, credentials: { username?: string; password?: string }) =>
    onvifClient(made.camera.onvif_port, credentials)

  test('signs in, reads the profile, and finds stream and still', async () => {
    const made = await camera()
    const device = client(made, { username: 'admin', password })
    await device.connect()
    const [profile] = await device.getProfiles()
    expect(profile.videoEncoderConfiguration).toMatchObject({
      encoding: 'H264',
      resolution: { width: 640, height: 360 },
      rateControl: { frameRateLimit: 15 },
    })
    expect(await device.getStreamUri({ protocol: 'RTSP' })).toMatchObject({ uri: made.camera.stream_address })
    const still = await device.getSnapshotUri({ profileToken: profile.$.token })
    expect(still.uri).toBe(`http://127.0.0.1:${made.camera.onvif_port}/snapshot.jpg`)
    expect(await device.getDeviceInformation()).toMatchObject({
      manufacturer: 'Sightline',
      model: 'Simulated camera',
    })
  })

  test.each([{ username: 'admin', password: 'wrong' }, { username: 'root', password }, {}])(
    'is not authorized with %o',
    async (options) => {
      const device = client(await camera(), options)
      await device.connect().catch(() => undefined)
      await expect(device.getDeviceInformation()).rejects.toThrow('not Authorized')
    },
  )

  test('signs in to a camera whose clock is two hours wrong, because it asks for the clock first', async () => {
    const device = client(await camera(-2 * 3_600_000), { username: 'admin', password })
    await device.connect()
    expect(await device.getDeviceInformation()).toMatchObject({ model: 'Simulated camera' })
  })
})

/** A request signed as WS-UsernameToken wants it. */
function request(operation: string, options: { nonce?: Buffer; createdMs?: number; secret?: string } = {}): string {
  const nonce = options.nonce ?? randomBytes(16)
  const created = new Date(options.createdMs ?? Date.now()).toISOString()
  const digest = createHash('sha1')
    .update(nonce)
    .update(created + (options.secret ?? password))
    .digest('base64')
  return (
    `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Header><Security><UsernameToken>` +
    `<Username>admin</Username><Password>${digest}</Password><Nonce>${nonce.toString('base64')}</Nonce>` +
    `<Created>${created}</Created></UsernameToken></Security></s:Header><s:Body>${operation}</s:Body></s:Envelope>`
  )
}

async function ask(made: SimulatedCamera, body: string) {
  const response = await fetch(made.camera.xaddr, { method: 'POST', body })
  return { status: response.status, text: await response.text() }
}

describe('the device', () => {
  const information = '<GetDeviceInformation/>'

  test('accepts each nonce once', async () => {
    const made = await camera()
    const once = request(information)
    expect((await ask(made, once)).text).toContain('Simulated camera')
    expect((await ask(made, once)).text).toContain('NotAuthorized')
    expect((await ask(made, request(information))).status).toBe(200)
  })

  test('refuses what was created outside its clock window', async () => {
    const made = await camera()
    for (const off of [-clockWindowMs - 5000, clockWindowMs + 5000])
      expect((await ask(made, request(information, { createdMs: Date.now() + off }))).text).toContain('NotAuthorized')
    for (const off of [-clockWindowMs + 5000, clockWindowMs - 5000])
      expect((await ask(made, request(information, { createdMs: Date.now() + off }))).status).toBe(200)
  })

  test('refuses a digest made with another password', async () => {
    expect((await ask(await camera(), request(information, { secret: 'other' }))).text).toContain('NotAuthorized')
  })

  test('tells its clock, services and identity to anybody', async () => {
    const made = await camera()
    for (const operation of ['GetSystemDateAndTime', 'GetCapabilities', 'GetServices', 'GetEndpointReference'])
      expect((await ask(made, `<Body><${operation}/></Body>`)).text).toContain(`${operation}Response`)
  })

  test('says so when it does not know an operation or a profile', async () => {
    const made = await camera()
    expect((await ask(made, request('<GetOSDs/>'))).text).toContain('ActionNotSupported')
    const unknown = '<GetStreamUri><ProfileToken>other</ProfileToken></GetStreamUri>'
    expect((await ask(made, request(unknown))).text).toContain('NoProfile')
  })

  test('refuses requests that are too long, and addresses it does not have', async () => {
    const made = await camera()
    expect((await ask(made, 'x'.repeat(65 * 1024))).status).toBe(413)
    expect((await fetch(made.camera.xaddr)).status).toBe(404)
    expect((await fetch(new URL('/', made.camera.xaddr))).status).toBe(404)
  })

  test('gives its still, the picture on air, only to who signs in by HTTP Digest', async () => {
    const made = await camera()
    const address = new URL('/snapshot.jpg', made.camera.xaddr)
    const refused = await fetch(address)
    expect(refused.status).toBe(401)
    const authorization = digestAnswer(refused.headers.get('www-authenticate') ?? '', 'admin', password)
    const given = await fetch(address, { headers: { authorization } })
    expect(given.headers.get('content-type')).toBe('image/jpeg')
    const { width, height } = parseJpeg(new Uint8Array(await given.arrayBuffer()))
    expect([width, height]).toEqual([640, 360])
  })
})

function digestAnswer(challenge: string, username: string, secret: string): string {
  const [, realm, nonce] = /realm="([^"]*)", nonce="([^"]*)"/.exec(challenge) ?? []
  const md5 = (text: string) => createHash('md5').update(text).digest('hex')
  const response = md5(`${md5(`${username}:${realm}:${secret}`)}:${nonce}:${md5('GET:/snapshot.jpg')}`)
  return `Digest username="${username}", realm="${realm}", nonce="${nonce}", uri="/snapshot.jpg", response="${response}"`
}
