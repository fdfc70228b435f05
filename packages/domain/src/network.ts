/**
 * Which addresses people, cameras and name servers may send our programs to. The kind of an address is ipaddr.js's word
 * for its range, which portal and edge server both use; the rule is one.
 */

/** The machine itself, by name or address. */
export const isLoopbackHost = (host: string): boolean =>
  /^(.*\.)?localhost\.?$/i.test(host) || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

/** Cameras and edge servers live in private networks, so those pass. */
const ordinaryRanges = new Set(['unicast', 'private', 'uniqueLocal', 'carrierGradeNat'])
/** Metadata services of clouds (AWS, Alibaba, Azure) in ranges where cameras may be; 169.254.169.254 is link-local anyway. */
const metadataIps = new Set(['fd00:ec2::254', '100.100.100.200', '168.63.129.16'])
/** Networks for examples (RFC 5737): nobody has them. */
const exampleIp = /^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/

/** Whether a camera or an edge server may have this address. @param ip in canonical form, IPv4 as such @param range its kind */
export const isOrdinaryIp = (ip: string, range: string): boolean =>
  (ordinaryRanges.has(range) && !metadataIps.has(ip)) || exampleIp.test(ip)

/** All addresses of a machine. @param networks as its system tells of them */
export const ipsOf = (networks: Readonly<Record<string, readonly { address: string }[] | undefined>>): string[] =>
  Object.values(networks).flatMap((list) => (list ?? []).map(({ address }) => address))

/**
 * Whether a camera may have this address: an ordinary one, and none of the machine that would open it, whose services
 * answer there as they do on loopback, nor of the portal's. @param own addresses of those machines, canonical like `ip`
 */
export const isCameraAddress = (ip: string, range: string, own: readonly string[]): boolean =>
  isOrdinaryIp(ip, range) && !own.includes(ip)
