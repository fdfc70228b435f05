/** A BGR picture to paint on. */
export type Paint = {
  width: number
  height: number
  data: Uint8Array
  /** Outside the picture nothing is painted. */
  put(x: number, y: number, rgb: readonly [number, number, number]): void
}

export function newPaint(width: number, height: number, [r, g, b]: readonly [number, number, number]): Paint {
  const data = new Uint8Array(width * height * 3)
  for (let p = 0; p < data.length; p += 3) data.set([b, g, r], p)
  return paintOn(data, width, height)
}

export const paintOn = (data: Uint8Array, width: number, height: number): Paint => ({
  width,
  height,
  data,
  put(x, y, [r, g, b]) {
    const [column, row] = [Math.floor(x), Math.floor(y)]
    if (column < 0 || row < 0 || column >= width || row >= height) return
    data.set(
      [b, g, r].map((value) => Math.max(0, Math.min(255, value))),
      (row * width + column) * 3,
    )
  },
})

/** The same numbers 0…1 in each run. */
export function noise(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A flame standing at x, foot, growing in its first seconds: the `index`-th picture of twelve a second. */
export function flame(paint: Paint, index: number, x: number, foot: number, random: () => number): void {
  const growth = Math.min(1.6, 0.5 + index / 80)
  for (let column = -14; column < 14; column++) {
    const waving = 22 + 14 * Math.sin(index * 2.9 + column * 0.5) + 16 * random()
    const top = waving * growth * (1 - Math.abs(column) / 15)
    for (let up = 0; up < top; up++)
      for (let wide = 0; wide < growth; wide++)
        paint.put(x + column * growth + wide, foot - up, [255, 200 - (110 * up) / top + 20 * random(), 60 * random()])
  }
}
