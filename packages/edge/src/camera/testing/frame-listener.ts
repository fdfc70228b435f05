import { expect, onTestFinished } from 'vitest'
import { type AnalysedFrame, listenForFrames } from '../frames.ts'

/** An analysis that keeps up and keeps nothing but what came. */
export async function frameListener() {
  const frames: Omit<AnalysedFrame, 'data'>[] = []
  const listener = await listenForFrames(
    ({ data, ...frame }) => {
      expect(data.length).toBe(frame.width * frame.height * 3)
      frames.push(frame)
    },
    (error) => {
      throw error
    },
  )
  onTestFinished(listener.close)
  return { frames, ...listener }
}
