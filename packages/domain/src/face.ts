/** Who a face belongs to: the part of a picture that is compared, its vector, and the gallery it is compared with. */
import type { Output, Size } from './detection.ts'
import type { Box } from './geometry.ts'
import { formatUuid } from './uuid.ts'

/** Pictures of one person, and people of one site. */
export const mostFacePictures = 5
export const mostFaces = 200
/** A face lower than this in an uploaded picture is not taken; below `fairFacePx` it is, and said to be small. */
export const leastFacePx = 40
export const fairFacePx = 112

/** The numbers that an embedding model wants a colour in: 0…1, −1…1 or 0…255. */
export const valueRanges = ['unit', 'signed', 'byte'] as const
export type ValueRange = (typeof valueRanges)[number]

/** Longer vectors are no answer of such a model. */
const mostNumbers = 4096

/** Somebody enrolled: `identity` is their id, each embedding a unit vector of one of their pictures. */
export type Enrolled = { identity: string; embeddings: readonly Float32Array[] }

/**
 * What of a picture an embedding model looks at: a square around the middle of the face, as long as its longer side, moved
 * into the picture where it stands out and cut where it is larger. Whole pixels.
 */
export function faceSquare([x, y, w, h]: Box, picture: Size): Box {
  const side = Math.max(1, Math.round(Math.max(w, h)))
  const along = (middle: number, limit: number): [from: number, length: number] => {
    const length = Math.min(side, limit)
    return [Math.min(limit - length, Math.max(0, Math.round(middle - length / 2))), length]
  }
  const [left, width] = along(x + w / 2, picture.width)
  const [top, height] = along(y + h / 2, picture.height)
  return [left, top, width, height]
}

/** How many numbers a model answers, when its first output is one vector and nothing else; null otherwise. */
export function vectorLength(outputs: readonly { dims: readonly number[] }[]): number | null {
  const sizes = outputs[0]?.dims.filter((size) => size !== 1) ?? []
  const [length = 0] = sizes
  return sizes.length === 1 && length > 1 && length <= mostNumbers ? length : null
}

/** Brings the planes of a model's input from 0…1 into the numbers that it wants, in place. */
export function intoRange(planes: Float32Array, range: ValueRange): void {
  if (range === 'unit') return
  const [factor, less] = range === 'byte' ? [255, 0] : [2, 1]
  for (let i = 0; i < planes.length; i++) planes[i] = (planes[i] as number) * factor - less
}

/** The answer of an embedding model as a unit vector; null when it has no direction. */
export function unitVector(outputs: readonly Output[]): Float32Array | null {
  const vector = Float32Array.from(outputs[0]?.data ?? [])
  const norm = Math.hypot(...vector)
  if (!(norm > 0) || !Number.isFinite(norm)) return null
  return vector.map((value) => value / norm)
}

const uuidBytes = 16

/**
 * A gallery as it goes to edge servers: for each picture the person's UUID and the vector, 32-bit floats, low bytes first.
 * @throws RangeError when the bytes are no gallery of vectors of this length
 */
export function readGallery(bytes: Uint8Array, length: number): Enrolled[] {
  const recordBytes = uuidBytes + 4 * length
  if (bytes.length % recordBytes !== 0) throw new RangeError('The gallery does not fit its model.')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const people = new Map<string, Float32Array[]>()
  for (let at = 0; at < bytes.length; at += recordBytes) {
    const identity = formatUuid(bytes, at)
    const vector = Float32Array.from({ length }, (_, i) => view.getFloat32(at + uuidBytes + 4 * i, true))
    people.set(identity, [...(people.get(identity) ?? []), vector])
  }
  return [...people].map(([identity, embeddings]) => ({ identity, embeddings }))
}

/** How alike a face must be to be somebody's, and how much more than to the next person. */
export type Likeness = { threshold: number; margin: number }

/**
 * Whose face it is: the most alike of the gallery by cosine, if it is alike enough and stands out from the next person;
 * else nobody's. `likeness` is to the most alike, null with an empty gallery.
 */
export function identify(
  embedding: Float32Array,
  gallery: readonly Enrolled[],
  { threshold, margin }: Likeness,
): { identity: string | null; likeness: number | null } {
  const [first, second] = gallery
    .filter(({ embeddings }) => embeddings.length > 0)
    .map(({ identity, embeddings }) => ({
      identity,
      likeness: Math.max(...embeddings.map((one) => cosine(one, embedding))),
    }))
    .sort((a, b) => b.likeness - a.likeness)
  if (!first) return { identity: null, likeness: null }
  const isSure = first.likeness >= threshold && (!second || first.likeness - second.likeness >= margin)
  return { identity: isSure ? first.identity : null, likeness: first.likeness }
}

/** Of unit vectors; vectors of different lengths come from different models and are not alike at all. */
function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return -1
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
