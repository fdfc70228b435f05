/** One SOAP 1.2 call to a camera's ONVIF service: bounded in time and size, to the checked address, without redirects. */
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Target } from '../camera/address.ts'
import { authorize, type Credentials } from '../camera/rtsp.ts'
import { escapeXml, maxXmlBytes, nodesAt, parseXml, textAt, type XmlNode } from './xml.ts'

export type SoapCause =
  | 'unreachable'
  | 'timeout'
  | 'bad_credentials'
  /** Something answers, but not as an ONVIF service does. */
  | 'not_onvif'
  /** The camera understood and declined: it does not know the operation, or not this way. */
  | 'declined'

export class SoapError extends Error {
  override readonly cause: SoapCause
  constructor(cause: SoapCause) {
    super(`The camera's ONVIF service: ${cause}.`)
    this.cause = cause
  }
}

export type Login = Credentials & {
  /** How far the camera's clock is ahead of ours: the digest is made with its time. */
  clockOffsetMs: number
}

export type SoapOptions = { login?: Login; signal?: AbortSignal }

/** For the whole call, however slowly the answer drips. */
export const soapTimeoutMs = 5000

/** @returns the answer's body @throws SoapError */
export async function soapCall(service: Target, body: string, { login, signal }: SoapOptions = {}): Promise<XmlNode> {
  const deadline = AbortSignal.any([AbortSignal.timeout(soapTimeoutMs), ...(signal ? [signal] : [])])
  const envelope = envelopeOf(body, login)
  let answer = await post(service, envelope, null, deadline)
  if (answer.status === 401 && login && login.username !== null) {
    // Some cameras want HTTP Digest in place of, or beside, the token in the header.
    const authorization = authorize('POST', service.path, answer.challenges, login)
    if (authorization?.startsWith('Digest')) answer = await post(service, envelope, authorization, deadline)
  }
  if (answer.status === 401 || answer.status === 403) throw new SoapError('bad_credentials')
  const [content] = nodesAt(parseXml(answer.text) ?? {}, 'Envelope', 'Body')
  if (!content) throw new SoapError('not_onvif')
  const [fault] = nodesAt(content, 'Fault')
  if (fault) throw new SoapError(isNotAuthorized(fault) ? 'bad_credentials' : 'declined')
  if (answer.status !== 200) throw new SoapError('not_onvif')
  return content
}

/** ONVIF's own subcode, the one of WS-Security, and what firmware makes of them in words. */
function isNotAuthorized(fault: XmlNode): boolean {
  const codes = [
    textAt(fault, 'Code', 'Subcode', 'Value'),
    textAt(fault, 'Code', 'Subcode', 'Subcode', 'Value'),
    textAt(fault, 'faultcode'),
    textAt(fault, 'Reason', 'Text'),
    textAt(fault, 'faultstring'),
  ]
  return codes.some((code) => /not\s*authori[sz]ed|unauthori[sz]ed|FailedAuthentication/i.test(code ?? ''))
}

function envelopeOf(body: string, login: Login | undefined): string {
  const header = login && login.username !== null ? `<s:Header>${usernameToken(login)}</s:Header>` : ''
  return `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope">${header}<s:Body>${body}</s:Body></s:Envelope>`
}

/** Web Services Security, UsernameToken Profile 1.0, with password digest. */
function usernameToken({ username, password, clockOffsetMs }: Login): string {
  const oasis = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss'
  const nonce = randomBytes(16)
  const created = new Date(Date.now() + clockOffsetMs).toISOString()
  const digest = createHash('sha1')
    .update(nonce)
    .update(created + (password ?? ''))
    .digest('base64')
  return (
    `<w:Security s:mustUnderstand="1" xmlns:w="${oasis}-wssecurity-secext-1.0.xsd" xmlns:u="${oasis}-wssecurity-utility-1.0.xsd">` +
    `<w:UsernameToken><w:Username>${escapeXml(username ?? '')}</w:Username>` +
    `<w:Password Type="${oasis}-username-token-profile-1.0#PasswordDigest">${digest}</w:Password>` +
    `<w:Nonce EncodingType="${oasis}-soap-message-security-1.0#Base64Binary">${nonce.toString('base64')}</w:Nonce>` +
    `<u:Created>${created}</u:Created></w:UsernameToken></w:Security>`
  )
}

type Answer = { status: number; challenges: string[]; text: string }

async function post(
  service: Target,
  body: string,
  authorization: string | null,
  deadline: AbortSignal,
): Promise<Answer> {
  const headers = { 'Content-Type': 'application/soap+xml; charset=utf-8', ...(authorization && { authorization }) }
  const { status, challenges, bytes } = await exchange(service, 'POST', headers, body, maxXmlBytes, deadline)
  return { status, challenges, text: bytes.toString('utf8') }
}

export type HttpAnswer = { status: number; type: string; challenges: string[]; bytes: Buffer }

/**
 * One HTTP request on a connection of its own to the address that was checked, whatever its name resolves to by now.
 * @throws SoapError `unreachable`, `timeout`, or `not_onvif` for an answer over `maxBytes` or none at all
 */
export function exchange(
  { ip, host, port, path }: Target,
  method: 'GET' | 'POST',
  headers: Record<string, string>,
  body: string,
  maxBytes: number,
  deadline: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let isConnected = false
    const fail = (cause: SoapCause) => reject(new SoapError(deadline.aborted ? 'timeout' : cause))
    const outgoing = request(
      {
        host: ip,
        port,
        path,
        method,
        agent: false,
        signal: deadline,
        headers: {
          ...headers,
          Host: `${host.includes(':') ? `[${host}]` : host}:${port}`,
          'Content-Length': Buffer.byteLength(body),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          chunks.push(chunk)
          if (size <= maxBytes) return
          fail('not_onvif')
          outgoing.destroy()
        })
        response.on('error', () => fail('not_onvif'))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            challenges: response.headersDistinct['www-authenticate'] ?? [],
            bytes: Buffer.concat(chunks),
          }),
        )
      },
    )
    outgoing.on('socket', (socket) =>
      socket.on('connect', () => {
        isConnected = true
      }),
    )
    outgoing.on('error', () => fail(isConnected ? 'not_onvif' : 'unreachable'))
    outgoing.end(body)
  })
}
