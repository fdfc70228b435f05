/** Pictures of something that a camera could look at. */
import sharp from 'sharp'

/**
 * A JPEG of 960 × 540 of a wall of patches, always the same one.
 * @param share how far to the right of the wall's left end the camera looks, in widths of the wall
 */
export async function patternFrom(share: number): Promise<Buffer> {
  const [columns, rows] = [64, 36]
  let seed = 1
  const grey = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % 256
  }
  const wall = await sharp(Buffer.from(Array.from({ length: columns * rows }, grey)), {
    raw: { width: columns, height: rows, channels: 1 },
  })
    .resize(1200, 675, { kernel: 'nearest' })
    .toColourspace('srgb')
    .png()
    .toBuffer()
  return sharp(wall)
    .extract({ left: Math.round(share * 1200), top: 60, width: 960, height: 540 })
    .jpeg()
    .toBuffer()
}
