/** Lines of CSV (RFC 4180) that a spreadsheet reads as what they are. */

export type Cell = string | number | null
export type Separator = ',' | ';'

/** Tells programs that it is UTF-8. */
export const byteOrderMark = '\ufeff'

/** What a spreadsheet would take for the beginning of a formula, in full width too (OWASP, CSV injection). */
const formula = /^[\t\r\n =+\-@\uff1d\uff0b\uff0d\uff20]/

/** With a semicolon numbers have a decimal comma. Text is always quoted; a formula is made text by an apostrophe. */
export function csvLine(cells: readonly Cell[], separator: Separator): string {
  const written = cells.map((cell) => {
    if (cell === null) return ''
    if (typeof cell === 'number') return separator === ';' ? String(cell).replace('.', ',') : String(cell)
    const text = formula.test(cell) ? `'${cell}` : cell
    return `"${text.replaceAll('"', '""')}"`
  })
  return `${written.join(separator)}\r\n`
}
