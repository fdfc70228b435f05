import { isLoopbackHost } from '@sightline/domain'

const isLoopback = (address: string) => isLoopbackHost(URL.parse(address)?.hostname.replace(/^\[|\]$/g, '') ?? '')

/**
 * The command as another machine can run it. A portal without PUBLIC_URL knows its loopback address alone: then the one
 * that this browser uses serves, unless that is loopback too.
 * @param origin of this page
 * @returns also whether only this machine can run it
 */
export function enrolCommand(command: string, origin: string): { command: string; isHereOnly: boolean } {
  const [named = ''] = command.match(/https?:\S+/) ?? []
  if (!isLoopback(named)) return { command, isHereOnly: false }
  return isLoopback(origin)
    ? { command, isHereOnly: true }
    : { command: command.replace(named, origin), isHereOnly: false }
}
