/** Tables that people keep: read from a file, matched to our columns, and written back with what went wrong. */
import { CsvError, parse } from 'csv-parse/browser/esm/sync'

/** How columns are called, by people and by other programs, folded as `fold` does. */
export type Names<C extends string> = Record<C, readonly string[]>

export const tableBytes = 10 * 1024 * 1024
export const tableRows = 5000

export type Table = { header: string[]; rows: string[][] }
/** Why a file is no table, as a message id with its argument. */
export class TableFault extends Error {}

/**
 * Reads a CSV file (RFC 4180): comma, semicolon or tab, with or without a byte order mark, in UTF-8 or, as spreadsheets
 * in French still write, Windows-1252.
 * @throws TableFault
 */
export function readTable(bytes: Uint8Array): Table {
  if (bytes.length > tableBytes) throw new TableFault('table_too_large')
  if (bytes.includes(0)) throw new TableFault('table_binary')
  const text = decode(bytes)
  const [first = ''] = text.split(/\r\n|\n|\r/, 1)
  let lines: string[][]
  try {
    lines = parse(text, { delimiter: delimiterOf(first), relax_column_count: true, skip_empty_lines: true })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new TableFault(`table_malformed:${Number(error.lines ?? 0)}`)
  }
  const [header = [], ...rows] = lines
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''))
  if (filled.length === 0) throw new TableFault('table_empty')
  if (filled.length > tableRows) throw new TableFault(`table_rows:${tableRows}`)
  return { header: header.map((cell) => cell.trim()), rows: filled.map((row) => row.map(original)) }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The one that stands most often in the header. */
function delimiterOf(line: string): string {
  const count = (sign: string) => line.split(sign).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] as string
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

/** Which of the file's columns holds what; by position, absent where none looks like it. */
export type Mapping<C extends string> = Partial<Record<C, number>>

export function guessMapping<C extends string>(header: readonly string[], names: Names<C>): Mapping<C> {
  const mapping: Mapping<C> = {}
  for (const column of Object.keys(names) as C[]) {
    const at = header.findIndex((title) => names[column].includes(fold(title)))
    if (at >= 0) mapping[column] = at
  }
  return mapping
}

/** Each row of the table as its columns are called here; what the file does not have is empty. */
export const toRows = <C extends string>(
  { rows }: Table,
  columns: readonly C[],
  mapping: Mapping<C>,
): Record<C, string>[] =>
  rows.map(
    (cells) =>
      Object.fromEntries(columns.map((column) => [column, cells[mapping[column] ?? -1] ?? ''])) as Record<C, string>,
  )

/** A cell that a spreadsheet would read as a formula is text again with an apostrophe before it (OWASP, CSV injection). */
const plain = (cell: string) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell)
/** A cell as it was before `plain`, so that a file of ours read again says what it said. */
const original = (cell: string) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)
const quoted = (cell: string) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

/** A CSV file with a byte order mark, so that spreadsheets read it as UTF-8. */
export const writeTable = (lines: readonly (readonly string[])[]): string =>
  `\uFEFF${lines.map((line) => line.map((cell) => quoted(plain(cell))).join(',')).join('\r\n')}\r\n`

/** Hands a file to the person. */
export function download(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
