/** Giving cameras another edge server: first what would start anew and what does not fit, then piece by piece. */
import type { Device } from '@sightline/contract'
import { api } from './client.ts'

export type Movable = Pick<Device, 'device_id' | 'device_name' | 'nimble_id'>
export type MoveOutcome = { restarts: readonly string[]; error_code: string | null }

/** So many cameras go in one call, that progress shows and none waits for all. */
const movedAtOnce = 10

/** What would become of each camera when all go, by its id. Nothing changes. @throws CallFailed */
export const planMove = (cameras: readonly Movable[], nimble_id: string): Promise<Map<string, MoveOutcome>> =>
  move(cameras, nimble_id, true)

/**
 * Moves cameras with all their analytics, and tells the outcomes as they come.
 * @throws CallFailed when the portal does not answer; what was told until then is done
 */
export async function moveCameras(
  cameras: readonly Movable[],
  nimble_id: string,
  onMoved: (outcomes: Map<string, MoveOutcome>) => void,
): Promise<void> {
  for (let at = 0; at < cameras.length; at += movedAtOnce)
    onMoved(await move(cameras.slice(at, at + movedAtOnce), nimble_id, false))
}

async function move(cameras: readonly Movable[], nimble_id: string, dry_run: boolean) {
  const device_id = cameras.map((camera) => camera.device_id)
  const result = await api.device.move.call({ device_id, nimble_id, dry_run })
  if (!result.status) throw result.failure
  return new Map(
    result.data.devices.map((one): [string, MoveOutcome] => [
      one.device_id,
      { restarts: one.restarts.map(({ channel_name }) => channel_name), error_code: one.error_code },
    ]),
  )
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
