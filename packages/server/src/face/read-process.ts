/** Finds the one face of a picture and makes its vectors with the models of a site, in a process of its own. */
import {
  type DetectionLabel,
  decodeOutputs,
  faceSquare,
  fromLetterbox,
  type Head,
  intoRange,
  leastFacePx,
  type Size,
  suppressOverlaps,
  unitVector,
  type ValueRange,
} from '@sightline/domain'
import sharp from 'sharp'
import { loadModel, planesOf, workApart } from '../apart-child.ts'
import { Fault } from '../apart-messages.ts'

export type FaceDetector = { file: string; head: Head; size: Size; labels: Record<string, DetectionLabel> }
export type FaceEmbedder = { file: string; size: Size; range: ValueRange; vectorLength: number }
export type FaceRequest = {
  /** A picture as sharp reads it. */
  picture: Uint8Array
  /** Null for a picture that is already the square around a face. */
  detector: FaceDetector | null
  embedders: FaceEmbedder[]
}
export type FaceResult = {
  /** The square around the face: JPEG. */
  square: Uint8Array
  /** Height of the face in the picture that came. */
  facePx: number
  /** One for each embedder, in their order. */
  vectors: Float32Array[]
}

const minScore = 0.35
const overlap = 0.45
/** A larger square is made smaller: embedding models look at 112 pixels or so. */
const mostSide = 512
/** As faces are followed at the edge server: whatever they wear. */
const faces: readonly DetectionLabel[] = ['face', 'mask', 'no_mask']

workApart(read)

async function read({ picture, detector, embedders }: FaceRequest): Promise<FaceResult> {
  const { square, facePx } = detector ? await onlyFace(picture, detector) : { square: picture, facePx: 0 }
  const vectors: Float32Array[] = []
  for (const embedder of embedders) vectors.push(await vectorOf(square, embedder))
  return { square, facePx, vectors }
}

async function onlyFace(picture: Uint8Array, { file, head, size, labels }: FaceDetector) {
  const { planes, box, whole } = await planesOf(picture, size)
  const run = await loadModel(file, size)
  const found = decodeOutputs(head, await run(planes), size, minScore)
    .filter(({ classIndex }) => faces.includes(labels[classIndex] as DetectionLabel))
    .flatMap((one) => {
      const inPicture = fromLetterbox(one.box, box, whole)
      return inPicture ? [{ ...one, box: inPicture }] : []
    })
  const [only, ...others] = suppressOverlaps(found, () => 'face', overlap)
  if (!only) throw new Fault('face_none')
  if (others.length > 0) throw new Fault(`face_many:${others.length + 1}`)
  const facePx = Math.round(only.box[3])
  if (facePx < leastFacePx) throw new Fault(`face_small:${facePx}:${leastFacePx}`)
  const [left, top, width, height] = faceSquare(only.box, whole)
  const square = await sharp(picture)
    .extract({ left, top, width, height })
    .resize({ width: mostSide, height: mostSide, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
    .toBuffer()
  return { square, facePx }
}

/** Of what is kept, so that another model reads the same later. */
async function vectorOf(square: Uint8Array, { file, size, range, vectorLength }: FaceEmbedder): Promise<Float32Array> {
  const { planes } = await planesOf(square, size)
  intoRange(planes, range)
  const run = await loadModel(file, size)
  const vector = unitVector(await run(planes))
  if (vector?.length !== vectorLength) throw new Fault('face_unreadable')
  return vector
}
