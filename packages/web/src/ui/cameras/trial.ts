/** What of a trial still holds after the camera's fields were changed. */

type Asked = { nimble_id: string; address: string; username: string | null; password: string | null }

const same = (a: string | null, b: string | null) => (a || '') === (b || '')

/**
 * Whether a trial was of the camera that the fields name now: a verdict about another one says nothing.
 * @param streams what the camera was found to offer, whose addresses are as good as its own
 */
export const isTrialOf = (asked: Asked, now: Asked, streams: readonly string[] = []): boolean =>
  asked.nimble_id === now.nimble_id &&
  [asked.address, ...streams].includes(now.address.trim()) &&
  same(asked.username, now.username) &&
  same(asked.password, now.password)

type Chosen = {
  /** What is typed. */
  address: string
  /** The stream that was chosen among those the camera offers; empty when none was. */
  stream_address: string
  /** The address at which that stream was found. */
  stream_of: string
}

/** The address to save: the chosen stream, as long as it is one of the camera that is typed. */
export const addressToSave = ({ address, stream_address, stream_of }: Chosen): string =>
  stream_address !== '' && stream_of === address.trim() ? stream_address : address.trim()
