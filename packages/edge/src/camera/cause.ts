/** Why a camera gives no picture, as ids that the browser translates; part of `sourceState` in the contract. */
export type CameraCause =
  | 'address_refused'
  | 'unreachable'
  | 'timeout'
  | 'not_rtsp'
  | 'redirected'
  | 'bad_credentials'
  | 'credentials_too_long'
  | 'no_stream'
  | `not_h264:${string}`
  | 'stalled'
  | 'cut'
  | 'decoder_crashed'

/** Causes that last until a person changes something at the camera or in its settings. */
export const isRefusal = (cause: CameraCause): boolean =>
  cause.startsWith('not_h264:') ||
  ['address_refused', 'redirected', 'bad_credentials', 'credentials_too_long', 'not_rtsp'].includes(cause)
