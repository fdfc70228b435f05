/** From decoded pictures to pixels and JPEG (camera process only). */
import {
  AV_CODEC_FLAG_QSCALE,
  AV_CODEC_ID_MJPEG,
  AV_PIX_FMT_BGR24,
  AV_PIX_FMT_GRAY8,
  AV_PIX_FMT_YUVJ420P,
  type AVPixelFormat,
  Codec,
  CodecContext,
  FF_QP2LAMBDA,
  Frame,
  Packet,
  Rational,
  SoftwareScaleContext,
  SWS_BILINEAR,
} from 'node-av'
import { type Hidden, hiddenCells, type Masks, paint } from './burn.ts'

export type Size = { width: number; height: number }
export type Scaler = {
  /** BGR24, rows top down without padding; valid until the next call. */
  bgr(frame: Frame, most: Size): Size & { data: Buffer }
  close(): void
}

/** The largest size of the picture's own aspect within `most`, even sides; never larger than the picture. */
export function fit(picture: Size, most: Size): Size {
  const ratio = Math.min(1, most.width / picture.width, most.height / picture.height)
  const even = (side: number) => Math.max(2, Math.round((side * ratio) / 2) * 2)
  return { width: even(picture.width), height: even(picture.height) }
}

/** Pictures reduced to exactly this many grey cells, whatever their shape; each answer is a buffer of its own. */
export function createReducer(size: Size): { grey(frame: Frame): Buffer; close(): void } {
  const converter = createConverter(AV_PIX_FMT_GRAY8)
  return {
    grey: (frame) => Buffer.from(converter.bytes(frame, size, 1)),
    close: converter.close,
  }
}

export function createScaler(): Scaler {
  const converter = createConverter(AV_PIX_FMT_BGR24)
  return {
    bgr(frame, most) {
      const size = fit(frame, most)
      return { ...size, data: converter.bytes(frame, size, 3) }
    },
    close: converter.close,
  }
}

/** FFmpeg's scale of 2 (best) to 31. */
const jpegQuality = 4
const mostJpeg: Size = { width: 4096, height: 2304 }

export type JpegEncoder = {
  encode(frame: Frame, most?: Size): Buffer
  /** What is hidden from now on, in every picture. */
  hide(masks: Masks): void
  close(): void
}

export function createJpegEncoder(): JpegEncoder {
  const converter = createConverter(AV_PIX_FMT_YUVJ420P)
  const packet = new Packet()
  packet.alloc()
  let context: CodecContext | null = null
  let opened: Size = { width: 0, height: 0 }
  /** The encoder wants a rising time although each picture stands for itself. */
  let encoded = 0n
  let masks: Masks = []
  let hidden: { size: Size; cells: Hidden } | null = null

  const open = (size: Size) => {
    context?.freeContext()
    const codec = Codec.findEncoder(AV_CODEC_ID_MJPEG)
    context = new CodecContext()
    context.allocContext3(codec)
    context.width = size.width
    context.height = size.height
    context.pixelFormat = AV_PIX_FMT_YUVJ420P
    context.timeBase = new Rational(1, 25)
    context.setFlags(AV_CODEC_FLAG_QSCALE)
    context.globalQuality = FF_QP2LAMBDA * jpegQuality
    context.threadCount = 1
    check(context.open2Sync(codec), 'The JPEG encoder did not open')
    opened = size
    return context
  }
  const burn = (picture: Frame, size: Size) => {
    if (masks.length === 0) return
    if (hidden?.size.width !== size.width || hidden.size.height !== size.height)
      hidden = { size, cells: hiddenCells(masks, size) }
    const planes = (picture.data ?? []).slice(0, 3).map((data, i) => ({ data, stride: picture.linesize[i] ?? 0 }))
    if (planes.length < 3) throw new Error('A picture that has masks could not be painted.')
    paint(hidden.cells, planes)
  }
  return {
    hide(next) {
      masks = next
      hidden = null
    },
    encode(frame, most = mostJpeg) {
      const size = fit(frame, most)
      const encoder = context && opened.width === size.width && opened.height === size.height ? context : open(size)
      const picture = converter.convert(frame, size)
      burn(picture, size)
      picture.quality = FF_QP2LAMBDA * jpegQuality
      encoded += 1n
      picture.pts = encoded
      check(encoder.sendFrameSync(picture), 'The JPEG encoder refused a picture')
      check(encoder.receivePacketSync(packet), 'The JPEG encoder gave nothing')
      const jpeg = Buffer.from(packet.data ?? [])
      packet.unref()
      return jpeg
    },
    close() {
      converter.close()
      packet.free()
      context?.freeContext()
    },
  }
}

type Converter = {
  convert(frame: Frame, size: Size): Frame
  /** Rows without padding of a picture in one plane. */
  bytes(frame: Frame, size: Size, pixelBytes: number): Buffer
  close(): void
}

/** Scales and converts into one frame that is used again: valid until the next call. */
function createConverter(format: AVPixelFormat): Converter {
  let context: SoftwareScaleContext | null = null
  let target: Frame | null = null
  /** The target's own memory: each time it is asked for it comes as one more object, as large to the garbage collector. */
  let plane: Buffer | null = null
  let made = ''

  const make = (frame: Frame, size: Size) => {
    context?.freeContext()
    target?.free()
    context = new SoftwareScaleContext()
    context.getContext(
      frame.width,
      frame.height,
      frame.format as AVPixelFormat,
      size.width,
      size.height,
      format,
      SWS_BILINEAR,
    )
    target = new Frame()
    target.alloc()
    target.format = format
    target.width = size.width
    target.height = size.height
    check(target.getBuffer(1), 'No memory for a picture')
    plane = target.data?.[0] ?? null
    return { context, target }
  }
  const convert = (frame: Frame, size: Size) => {
    const wanted = `${frame.width} ${frame.height} ${frame.format} ${size.width} ${size.height}`
    const ready = context && target && made === wanted ? { context, target } : make(frame, size)
    made = wanted
    check(ready.context.scaleFrameSync(ready.target, frame), 'A picture could not be scaled')
    return ready.target
  }
  return {
    convert,
    bytes(frame, size, pixelBytes) {
      const picture = convert(frame, size)
      const rowBytes = size.width * pixelBytes
      return plane && picture.linesize[0] === rowBytes ? plane.subarray(0, rowBytes * size.height) : picture.toBuffer()
    },
    close() {
      context?.freeContext()
      target?.free()
    },
  }
}

function check(code: number, what: string): void {
  if (code < 0) throw new Error(`${what} (${code}).`)
}
