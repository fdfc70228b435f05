/** Giving cameras another edge server: what would start anew, then one camera after the other, each with its outcome. */
import type { Channel, Device } from '@sightline/contract'
import { api } from './client.ts'

export type Movable = Pick<Device, 'device_id' | 'device_name' | 'nimble_id'> & {
  channels: readonly Pick<Channel, 'channel_id' | 'channel_name'>[]
}
export type MoveOutcome = { device_id: string; restarts: readonly string[]; problem: string | null }

/**
 * Moves one camera with all its analytics, or with `dry_run` only says which of these would start anew. A camera
 * without analytics has nothing that could: it is only moved.
 */
export async function moveCamera(camera: Movable, nimble_id: string, dry_run: boolean): Promise<MoveOutcome> {
  const { device_id } = camera
  const [channel] = camera.channels
  if (!channel) {
    const result = dry_run ? null : await api.device.update.call({ device_id, nimble_id })
    return { device_id, restarts: [], problem: result && !result.status ? result.message.text : null }
  }
  const result = await api.channel.refactor.call({ channel_id: channel.channel_id, nimble_id, dry_run })
  if (!result.status) return { device_id, restarts: [], problem: result.message.text }
  return { device_id, restarts: result.data.restarts.map(({ channel_name }) => channel_name), problem: null }
}

const pieceSize = 500

/** Every camera of an edge server, read in pieces. @throws CallFailed */
export async function camerasOfEdge(nimble_id: string): Promise<Device[]> {
  const all: Device[] = []
  for (;;) {
    const result = await api.device.list.call({ nimble_id, limit: pieceSize, offset: all.length })
    if (!result.status) throw result.failure
    all.push(...result.data)
    if (result.data.length < pieceSize) return all
  }
}

export const movable = ({ device_id, device_name, nimble_id, source_channels }: Device): Movable => ({
  device_id,
  device_name,
  nimble_id,
  channels: source_channels,
})
