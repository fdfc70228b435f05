import type { AccessUnit } from '../../camera/h264.ts'
import { beginningOf, createClip } from '../clip.ts'

/** The file that a clip of these units ends as. */
export function clipOf(units: readonly AccessUnit[]): Buffer {
  const clip = createClip()
  const pieces = beginningOf(units, 0)
    .map((unit) => clip.add(unit))
    .filter((piece) => piece !== null)
  const end = clip.finish()
  if (!end) throw new Error('No key frame among the units.')
  const file = Buffer.concat([...pieces, end.tail])
  end.head.copy(file, end.headAt)
  return file
}
