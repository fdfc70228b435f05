/**
 * Ed25519 keys (RFC 8032) of the link's two ends, by Web Crypto so that both ends share the code. On the wire and in
 * files a public key is its 32 raw bytes in base64; a private key is PKCS #8.
 */

export type LinkKey = {
  publicKey: string
  /** Signature of the text's UTF-8 bytes, base64. */
  sign(text: string): Promise<string>
}

const algorithm = { name: 'Ed25519' }
const bytesOf = (text: string) => new TextEncoder().encode(text)
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
const unbase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/** A new private key, PKCS #8 in base64. */
export async function createLinkKey(): Promise<string> {
  const pair = (await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as CryptoKeyPair
  return base64(await crypto.subtle.exportKey('pkcs8', pair.privateKey))
}

/** @throws when the text is no such key */
export async function openLinkKey(pkcs8: string): Promise<LinkKey> {
  const key = await crypto.subtle.importKey('pkcs8', unbase64(pkcs8), algorithm, true, ['sign'])
  const { x } = await crypto.subtle.exportKey('jwk', key)
  if (x === undefined) throw new Error('not an Ed25519 key')
  return {
    publicKey: base64(unbase64(x.replaceAll('-', '+').replaceAll('_', '/')).buffer),
    sign: async (text) => base64(await crypto.subtle.sign(algorithm, key, bytesOf(text))),
  }
}

/** False too when key or signature is not even of the right form. */
export async function isSignedBy(publicKey: string, text: string, signature: string): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', unbase64(publicKey), algorithm, true, ['verify'])
    return await crypto.subtle.verify(algorithm, key, unbase64(signature), bytesOf(text))
  } catch {
    return false
  }
}

/** How a person compares keys: `SHA256:` and the base64 hash of the raw key, as OpenSSH prints its own. */
export async function fingerprintOf(publicKey: string): Promise<string> {
  return `SHA256:${base64(await crypto.subtle.digest('SHA-256', unbase64(publicKey))).replace(/=+$/, '')}`
}
