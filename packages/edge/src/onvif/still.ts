import { checkAddress, type KnownHosts } from '../camera/address.ts'
import { authorize, type Credentials } from '../camera/rtsp.ts'
import { exchange, SoapError, soapTimeoutMs } from './soap.ts'

/** What fits the answer to a probe once it is written as base64. */
export const maxStillBytes = 500_000

/** The still at an address of the camera's snapshot service; null when there is none to be had. */
export async function fetchStill(
  address: string,
  credentials: Credentials,
  known: KnownHosts,
  signal?: AbortSignal,
): Promise<Buffer | null> {
  const target = await checkAddress(address, { schemes: ['http:'], known })
  if ('cause' in target) return null
  const deadline = AbortSignal.any([AbortSignal.timeout(soapTimeoutMs), ...(signal ? [signal] : [])])
  const get = (headers: Record<string, string>) => exchange(target, 'GET', headers, '', maxStillBytes, deadline)
  try {
    let answer = await get({})
    if (answer.status === 401 && credentials.username !== null) {
      const authorization = authorize('GET', target.path, answer.challenges, credentials)
      if (authorization !== null) answer = await get({ authorization })
    }
    return answer.status === 200 && isJpeg(answer.bytes) ? answer.bytes : null
  } catch (error) {
    // A still is an extra: the probe says by itself what is wrong with the camera.
    if (error instanceof SoapError) return null
    throw error
  }
}

/** By content: what a camera calls its answer proves nothing. */
const isJpeg = (bytes: Buffer): boolean => bytes.length > 4 && bytes.readUIntBE(0, 3) === 0xffd8ff
