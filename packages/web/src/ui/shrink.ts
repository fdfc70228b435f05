/** Pictures made smaller before they are sent: a photo of a phone has more bytes than a picture of the portal may have. */
import { imageMaxBytes } from '@sightline/domain'

/** Nothing is shown larger; each further try is smaller, until it may be sent. */
const sides = [2560, 1920, 1280, 640]
const quality = 0.85

/** Draws what is `width` by `height` into a JPEG whose longer side is at most `side`. Null where the browser cannot. */
export function jpegOf(source: CanvasImageSource, width: number, height: number, side: number): Promise<Blob | null> {
  const scale = Math.min(1, side / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const pen = canvas.getContext('2d')
  // JPEG knows nothing transparent; without a ground it would turn black.
  if (pen) pen.fillStyle = '#fff'
  pen?.fillRect(0, 0, canvas.width, canvas.height)
  pen?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
}

/** The picture as it may be sent: itself, or smaller. Null when it is no picture that the browser can read. */
export async function withinLimit(file: File): Promise<File | null> {
  if (file.size < imageMaxBytes) return file
  let picture: ImageBitmap
  try {
    picture = await createImageBitmap(file)
  } catch (error) {
    console.info(`${file.name} cannot be read as a picture.`, error)
    return null
  }
  try {
    for (const side of sides) {
      const smaller = await jpegOf(picture, picture.width, picture.height, side)
      if (smaller && smaller.size < imageMaxBytes)
        return new File([smaller], file.name.replace(/\.\w+$/, '.jpg'), { type: 'image/jpeg' })
    }
    return null
  } finally {
    picture.close()
  }
}
