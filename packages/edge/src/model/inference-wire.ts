/** What an analysis thread, its broker and the process of a model share; numbers are little endian. */
import type { ModelHead, Size, ValueRange } from '@sightline/domain'

/** `range`: of an embedding model, the numbers that it wants colours in. */
export type ModelFile = { file: string; head: ModelHead; size: Size; range?: ValueRange }

/** u32 width and height of the camera's picture, f32 least score, u32 unused; then the picture as fitted, BGR. */
export const requestBytes = 16
/** u32 kind, u32 bytes; then these. */
export const answerBytes = 8
/** Box, score, class. */
export const numbersOfFound = 6
/** The best of them; no picture holds as many. */
export const mostFound = 2000

/** `ready` and `fault` once, then `found` for each picture, of an embedding model its vector or nothing; `ended`: by the broker, with the signal or exit code. */
export const answers = { none: 0, ready: 1, fault: 2, found: 3, ended: 4 } as const

/** Of the memory between thread and broker: which answer there is, how many bytes, and the process. */
export const control = { answer: 0, bytes: 1, pid: 2, length: 3 } as const
export type Shared = { control: SharedArrayBuffer; data: SharedArrayBuffer }

/** What a broker posts when its process ended unasked: the signal or exit code, and what it said last. */
export type Broken = { how: string; said: string }

/** Enough for a picture of the model's size with its request, and for any answer. */
export const dataBytes = ({ size }: ModelFile): number =>
  Math.max(requestBytes + size.width * size.height * 3, mostFound * numbersOfFound * 4)
