/** The npm `onvif` client as an independent reader of what a camera says; its own types lose the calls' arguments. */
import { Cam } from 'onvif/promises/index.js'

export type OnvifClient = {
  connect(): Promise<unknown>
  getDeviceInformation(): Promise<{ manufacturer: string; model: string }>
  getProfiles(): Promise<
    [
      {
        $: { token: string }
        videoEncoderConfiguration: {
          encoding: string
          resolution: { width: number; height: number }
          rateControl: { frameRateLimit: number }
        }
      },
    ]
  >
  getStreamUri(options: { protocol: string }): Promise<{ uri: string }>
  getSnapshotUri(options: { profileToken: string }): Promise<{ uri: string }>
}

export function onvifClient(port: number, credentials: { username?: string; password?: string }): OnvifClient {
  return new Cam({ hostname: '127.0.0.1', port, timeout: 4000, ...credentials }) as unknown as OnvifClient
}
