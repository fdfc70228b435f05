/** Cameras in a row of the wall. Apart from the wall itself, so that its address can be checked without loading it. */
export const columnCounts = ['1', '2', '3', '4'] as const
export type ColumnCount = (typeof columnCounts)[number]
