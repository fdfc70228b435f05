/** Why a camera gives no picture, as ids that the browser translates; part of `sourceState` in the contract. */
export type CameraCause =
  | 'address_refused'
  /** Its name does not resolve, or the name server does not answer. */
  | 'host_unknown'
  | 'unreachable'
  | 'timeout'
  | 'not_rtsp'
  | 'redirected'
  | 'bad_credentials'
  | 'credentials_too_long'
  | 'credentials_unreadable'
  | 'no_stream'
  | `not_h264:${string}`
  | 'stalled'
  | 'cut'
  | 'bad_stream'
  | 'decoder_crashed'

/** Causes that last until a person changes something at the camera or in its settings. */
export const isRefusal = (cause: CameraCause): boolean =>
  sentCodec(cause) !== null ||
  [
    'address_refused',
    'redirected',
    'bad_credentials',
    'credentials_too_long',
    'credentials_unreadable',
    'not_rtsp',
  ].includes(cause)

/** What the camera sends instead of H.264, by FFmpeg's name; null where that is not the trouble. */
export const sentCodec = (cause: CameraCause): string | null =>
  cause.startsWith('not_h264:') ? cause.slice('not_h264:'.length) : null

/** Thrown where something cannot be had from a camera. */
export class CameraError extends Error {
  override readonly cause: CameraCause
  constructor(cause: CameraCause) {
    super(`The camera gives no picture: ${cause}.`)
    this.cause = cause
  }
}
