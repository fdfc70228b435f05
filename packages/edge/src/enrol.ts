/** `npm run nimble -- enrol <portal> <token>`: exchanges keys with the portal once, so that this nimble may dial it. */
import { type EnrolFault, enrolled, enrolPath, enrolRefused } from '@sightline/contract/edge'
import { networkSentence } from './call.ts'
import { openIdentity } from './identity.ts'
import { readPortalUrl } from './portal-url.ts'
import { version } from './version.ts'

const answerMs = 15_000
const mostAnswer = 16 * 1024

const refusals: Record<EnrolFault, string> = {
  token_unknown: 'The portal does not know this token: it was mistyped, or a newer command has replaced it.',
  token_used: 'This token has been used already. Each enrols one edge server, once.',
  token_expired: 'This token has expired; it is good for an hour.',
}
const usage = 'Usage: npm run nimble -- enrol <address of the portal> <token> [--allow-http]'

/** @returns what to tell the person @throws with one sentence */
export async function enrol(folder: string, args: readonly string[]): Promise<string> {
  const [address, token, ...more] = args.filter((arg) => arg !== '--allow-http')
  if (address === undefined || token === undefined || more.length > 0) throw new Error(usage)
  const portal = readPortalUrl(address, args.includes('--allow-http'))
  const identity = await openIdentity(folder)
  const answer = await post(portal, {
    token,
    public_key: identity.key.publicKey,
    software: `sightline nimble ${version}`,
  })
  const { nimble_id, instance_id, portal_key, name } = answer
  identity.enrol({ nimble_id, instance_id, portal_key, portal_url: portal })
  return `This edge server is "${name}" of ${portal} from now on. Start it with: npm run nimble`
}

async function post(portal: string, body: object) {
  const { status, text } = await fetchText(portal, JSON.stringify(body)).catch((error: unknown) => {
    const { cause, name, message } = error as Error & { cause?: NodeJS.ErrnoException }
    throw new Error(networkSentence(name === 'TimeoutError' ? 'timeout' : (cause?.code ?? message), portal))
  })
  const said = parse(text)
  if (status === 200) {
    const accepted = enrolled.safeParse(said)
    if (accepted.success) return accepted.data
  }
  const refused = enrolRefused.safeParse(said)
  if (refused.success)
    throw new Error(
      `${refusals[refused.data.fault]} Ask for a new command on the page of the edge server in the portal.`,
    )
  if (status === 429) throw new Error(`${portal} had too many enrolments in this minute. Wait one and try again.`)
  throw new Error(`What answers at ${portal} is not a portal of Sightline of this version (HTTP ${status}).`)
}

async function fetchText(portal: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(portal + enrolPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  })
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.length > mostAnswer) break
  }
  return { status: response.status, text }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No answer of ours; the caller says so.
    return null
  }
}
