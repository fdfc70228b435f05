/** A device that speaks ONVIF as badly as a test wants. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type OnvifPeer = { port: number; address: string; operations: string[]; close(): Promise<void> }

/** The answer's body, or what to do with the response instead. */
type Answer = (operation: string, request: { xml: string; headers: IncomingMessage['headers'] }) => string | Reply
type Reply = (response: ServerResponse) => void

export async function startOnvifPeer(answer: Answer): Promise<OnvifPeer> {
  const operations: string[] = []
  const server = createServer(async (request, response) => {
    let xml = ''
    for await (const chunk of request) xml += chunk
    const operation = /Body>\s*<(\w+)/.exec(xml)?.[1] ?? `${request.method} ${request.url}`
    operations.push(operation)
    const reply = answer(operation, { xml, headers: request.headers })
    if (typeof reply === 'function') return reply(response)
    const isFault = reply.startsWith('<Fault>')
    response.writeHead(isFault ? 400 : 200, { 'Content-Type': 'application/soap+xml' }).end(soap(reply))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    address: `http://127.0.0.1:${port}/onvif/device_service`,
    operations,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export const soap = (body: string): string =>
  `<Envelope xmlns="http://www.w3.org/2003/05/soap-envelope"><Body>${body}</Body></Envelope>`

export const fault = (subcode: string): string =>
  `<Fault><Code><Value>Sender</Value><Subcode><Value>ter:${subcode}</Value></Subcode></Code></Fault>`

type Told = { encoding?: string; streamUri?: string; mediaXAddr?: string; snapshotUri?: string }

/** What a decent camera answers; the clock runs right. */
export function decentAnswer(operation: string, told: Told = {}): string {
  const now = new Date()
  const { encoding = 'H264', streamUri = '', mediaXAddr = '', snapshotUri = '' } = told
  switch (operation) {
    case 'GetSystemDateAndTime':
      return (
        `<GetSystemDateAndTimeResponse><SystemDateAndTime><UTCDateTime>` +
        `<Time><Hour>${now.getUTCHours()}</Hour><Minute>${now.getUTCMinutes()}</Minute><Second>${now.getUTCSeconds()}</Second></Time>` +
        `<Date><Year>${now.getUTCFullYear()}</Year><Month>${now.getUTCMonth() + 1}</Month><Day>${now.getUTCDate()}</Day></Date>` +
        `</UTCDateTime></SystemDateAndTime></GetSystemDateAndTimeResponse>`
      )
    case 'GetDeviceInformation':
      return '<GetDeviceInformationResponse><Manufacturer>Acme</Manufacturer><Model>Eye 1.10</Model><FirmwareVersion>2.10</FirmwareVersion></GetDeviceInformationResponse>'
    case 'GetCapabilities':
      return `<GetCapabilitiesResponse><Capabilities><Media><XAddr>${mediaXAddr}</XAddr></Media></Capabilities></GetCapabilitiesResponse>`
    case 'GetProfiles':
      return (
        `<GetProfilesResponse><Profiles token="audio"><Name>audio</Name></Profiles>` +
        `<Profiles token="p1"><Name>Main</Name><VideoEncoderConfiguration><Encoding>${encoding}</Encoding>` +
        `<Resolution><Width>2560</Width><Height>1440</Height></Resolution>` +
        `<RateControl><FrameRateLimit>20</FrameRateLimit><BitrateLimit>4096</BitrateLimit></RateControl>` +
        `</VideoEncoderConfiguration></Profiles></GetProfilesResponse>`
      )
    case 'GetStreamUri':
      return `<GetStreamUriResponse><MediaUri><Uri>${streamUri}</Uri></MediaUri></GetStreamUriResponse>`
    case 'GetSnapshotUri':
      return `<GetSnapshotUriResponse><MediaUri><Uri>${snapshotUri}</Uri></MediaUri></GetSnapshotUriResponse>`
    default:
      return fault('ActionNotSupported')
  }
}
