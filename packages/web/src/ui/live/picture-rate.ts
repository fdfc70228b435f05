/** How many pictures a second are shown. */

/** Over so long: fragments come in bursts and the picture jumps after them, which evens out over some seconds only. */
const overMs = 4000
/** Told so often. */
const everyMs = 1000

export class PictureRate {
  /** When it was counted, and how many pictures there were then; oldest first. */
  #samples: { at: number; pictures: number }[] = []

  /**
   * To be told at every frame of the page.
   * @param pictures shown since the stream began
   * @returns pictures per second when that is told anew, else null
   */
  count(at: number, pictures: number): number | null {
    const last = this.#samples.at(-1)
    const ms = last ? at - last.at : 0
    if (last && ms < everyMs && pictures >= last.pictures) return null
    // A new stream counts from the beginning, and a tab in the background draws nothing for a while.
    if (last && (pictures < last.pictures || ms > 2 * everyMs)) this.#samples = []
    this.#samples.push({ at, pictures })
    const first = this.#samples.findLast((sample) => at - sample.at >= overMs)
    if (!first) return null
    this.#samples = this.#samples.filter((sample) => sample.at >= first.at)
    return Math.round((1000 * (pictures - first.pictures)) / (at - first.at))
  }
}
