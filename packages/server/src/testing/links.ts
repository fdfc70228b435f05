import type { Links } from '../nimble/links.ts'
import { Refusal } from '../refusal.ts'

/** No edge server is connected. */
const unreachable = () =>
  new Refusal(
    503,
    'Either nimble ingestion service restarting or recovering from connection issues, try again later.',
    { code: 'nimble_unreachable' },
  )

/** What a portal has whose edge servers are all away. */
export const noLinks = (): Links => ({
  start: async () => undefined,
  stop: async () => undefined,
  status: () => null,
  reconfigure: () => undefined,
  reload: () => undefined,
  discover: () => Promise.reject(unreachable()),
  probe: () => Promise.reject(unreachable()),
  snapshot: () => Promise.reject(unreachable()),
  media: () => Promise.reject(unreachable()),
  live(_nimble, _source, _mode, listener) {
    listener.ended('nimble_unreachable')
    return { stop: () => undefined }
  },
  channelDo: () => Promise.reject(unreachable()),
  test: async () => ({ ok: false, cause: 'nimble_unreachable', engine_version: null, key_fingerprint: null, ms: 0 }),
})
