import { type ImportColumn, passwordLeftOut } from '@sightline/contract'
import type { Mapping, Names } from '../../ui/table-file/table.ts'

/** How the columns of cameras are called, in English and French. */
export const cameraNames: Names<ImportColumn> = {
  device_name: ['devicename', 'name', 'camera', 'cameraname', 'device', 'nom', 'nomdelacamera', 'appareil'],
  stream_address: ['streamaddress', 'address', 'url', 'stream', 'rtsp', 'rtspurl', 'adresse', 'adressedeflux', 'flux'],
  username: ['username', 'user', 'login', 'utilisateur', 'identifiant', 'nomdutilisateur'],
  password: ['password', 'pass', 'pwd', 'motdepasse', 'mdp'],
  onvif_port: ['onvifport', 'port', 'portonvif'],
  UUID: ['uuid', 'endpoint', 'onvifid', 'identiteonvif'],
  device_tags: ['devicetags', 'tags', 'labels', 'etiquettes'],
  site_name: ['sitename', 'site', 'nomdusite'],
  nimble_name: ['nimblename', 'nimble', 'edgeserver', 'edge', 'serveuredge', 'serveur'],
  live_address: ['liveaddress', 'substream', 'sub', 'smallstream', 'fluxsecondaire', 'petitflux', 'adressedupetitflux'],
}

/** A row of a file as it is written back: without its passwords, marked so that none is missed when it is read again. */
export function withoutPasswords(cells: readonly string[], mapping: Mapping<ImportColumn>): string[] {
  const addresses = [mapping.stream_address, mapping.live_address]
  return cells.map((cell, at) => {
    if (at === mapping.password) return cell && passwordLeftOut
    // Refused with the login in it, and refused again like this.
    return addresses.includes(at) ? cell.replace(/^(\w+:\/\/[^:/@]*):[^/]*@/, `$1:${passwordLeftOut}@`) : cell
  })
}
