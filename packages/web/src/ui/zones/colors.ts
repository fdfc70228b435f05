import type { Drawing } from './editing.ts'

const colors = ['#7d89f2', '#f5a524', '#2fd07c', '#f5475c', '#38bdf8', '#e879f9'] as const

export const maskColor = '#949bab'

/** Colour of a shape: by its place in the list, grey for masks, one of its own for the floor. */
export const colorOf = (drawings: readonly Drawing[], key: string): string => {
  const at = drawings.findIndex((drawing) => drawing.key === key)
  if (drawings[at]?.kind === 'floor') return '#2dd4bf'
  return drawings[at]?.kind === 'mask' ? maskColor : (colors[Math.max(0, at) % colors.length] as string)
}
