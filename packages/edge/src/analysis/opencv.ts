import { createRequire } from 'node:module'

/**
 * The part of OpenCV (@techstark/opencv-js, WebAssembly, one heap per thread) that the analysis uses.
 * Everything with `delete` lives on that heap and is the caller's to free: nothing else frees it.
 */
export type Mat = {
  readonly rows: number
  readonly cols: number
  readonly data: Uint8Array
  readonly data32S: Int32Array
  readonly data64F: Float64Array
  roi(rect: Rect): Mat
  setTo(value: Scalar, mask: Mat): void
  copyTo(target: Mat, mask: Mat): void
  delete(): void
}
/** Always four numbers, whatever the picture's channels. */
export type Scalar = readonly [number, number, number, number]
export type Rect = { x: number; y: number; width: number; height: number }
type Size = { width: number; height: number }
type Vector<T> = {
  size(): number
  get(index: number): T
  push_back(value: T): void
  delete(): void
}
export type Subtractor = { apply(frame: Mat, foreground: Mat, learningRate: number): void; delete(): void }
export type Hog = {
  setSVMDetector(detector: Mat): void
  detectMultiScale(
    picture: Mat,
    found: Vector<Rect>,
    weights: Vector<number>,
    hitThreshold: number,
    stride: Size,
    padding: Size,
    scale: number,
    groupThreshold: number,
    meanShift: boolean,
  ): void
  delete(): void
}

export type Cv = {
  Mat: {
    new (): Mat
    new (rows: number, cols: number, type: number): Mat
    new (rows: number, cols: number, type: number, fill: Scalar): Mat
    ones(rows: number, cols: number, type: number): Mat
  }
  MatVector: new () => Vector<Mat>
  RectVector: new () => Vector<Rect>
  DoubleVector: new () => Vector<number>
  Size: new (width: number, height: number) => Size
  Rect: new (x: number, y: number, width: number, height: number) => Rect
  BackgroundSubtractorMOG2: new (history: number, varThreshold: number, shadows: boolean) => Subtractor
  HOGDescriptor: { new (): Hog; getDefaultPeopleDetector(): Mat | Vector<number> }
  matFromArray(rows: number, cols: number, type: number, values: readonly number[]): Mat
  resize(from: Mat, to: Mat, size: Size, fx: number, fy: number, interpolation: number): void
  cvtColor(from: Mat, to: Mat, code: number): void
  threshold(from: Mat, to: Mat, threshold: number, value: number, type: number): number
  erode(from: Mat, to: Mat, kernel: Mat): void
  dilate(from: Mat, to: Mat, kernel: Mat): void
  morphologyEx(from: Mat, to: Mat, operation: number, kernel: Mat): void
  connectedComponentsWithStats(
    from: Mat,
    labels: Mat,
    stats: Mat,
    centroids: Mat,
    connectivity: number,
    type: number,
  ): number
  countNonZero(picture: Mat): number
  /** Of all that is not zero; without width and height where there is nothing. */
  boundingRect(picture: Mat): Rect
  meanStdDev(picture: Mat, mean: Mat, deviation: Mat): void
  Laplacian(from: Mat, to: Mat, depth: number): void
  fillPoly(picture: Mat, polygons: Vector<Mat>, colour: Scalar): void
  exceptionFromPtr(thrown: number): { msg: string }
  readonly HEAPU8: Uint8Array
  CV_8U: number
  CV_8UC1: number
  CV_8UC3: number
  CV_32F: number
  CV_32S: number
  CV_32SC2: number
  CV_64F: number
  INTER_AREA: number
  INTER_LINEAR: number
  COLOR_BGR2GRAY: number
  THRESH_BINARY: number
  MORPH_CLOSE: number
}

/** Makes several things on that heap: when one cannot be made, those before it are freed. */
export function allOrNone<T>(make: (keep: <K extends { delete(): void }>(thing: K) => K) => T): T {
  const made: { delete(): void }[] = []
  try {
    return make((thing) => {
      made.push(thing)
      return thing
    })
  } catch (error) {
    for (const thing of made) thing.delete()
    throw error
  }
}

let loading: Promise<Cv> | undefined

/** OpenCV of this thread, loaded once (0.3 to 0.6 s, about 100 MB). */
export function loadOpenCv(): Promise<Cv> {
  loading ??= load()
  return loading
}

async function load(): Promise<Cv> {
  const before = processListeners()
  const module = createRequire(import.meta.url)('@techstark/opencv-js')
  // The module has a `then` that never calls back: awaiting it, or answering it from here, would hang in silence.
  // So it must lose its `then` before any promise sees it.
  if (!module.Mat)
    await new Promise<void>((resolve) => {
      module.onRuntimeInitialized = () => resolve()
    })
  delete module.then
  // It also answers every uncaught error of the process with an abort that prints its own 11 MB source line.
  for (const [event, listeners] of Object.entries(processListeners()))
    for (const listener of listeners) if (!before[event]?.includes(listener)) process.removeListener(event, listener)
  return module as Cv
}

const processListeners = (): Record<string, ((...args: unknown[]) => void)[]> =>
  Object.fromEntries(
    ['uncaughtException', 'unhandledRejection'].map((event) => [
      event,
      process.rawListeners(event) as ((...args: unknown[]) => void)[],
    ]),
  )

/** What OpenCV throws is the number of an object on its heap; this makes an Error of it. */
export function openCvError(cv: Cv, thrown: unknown): Error {
  if (typeof thrown === 'number') return new Error(`OpenCV: ${cv.exceptionFromPtr(thrown).msg.slice(0, 500)}`)
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
