import { describe, expect, test } from 'vitest'
import { guessMapping, readTable, TableFault, tableRows, toRows, writeTable } from './table.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const fault = (input: Uint8Array) => {
  try {
    readTable(input)
  } catch (error) {
    if (error instanceof TableFault) return error.message
    throw error
  }
  return null
}

describe('a table is read', () => {
  test.each([
    ['comma', 'name,address\r\nDoor,rtsp://a/1\r\n'],
    ['semicolon', 'name;address\nDoor;rtsp://a/1'],
    ['tab, empty lines and a byte order mark', '\uFEFFname\taddress\n\nDoor\trtsp://a/1\n\t\n'],
    ['quotes', '"name","address"\n"Door","rtsp://a/1"'],
  ])('%s', (_, text) => {
    expect(readTable(bytes(text))).toEqual({ header: ['name', 'address'], rows: [['Door', 'rtsp://a/1']] })
  })

  test('with separators, quotes and line breaks inside cells', () => {
    const { rows } = readTable(bytes('name,tags\n"Door, ""north""\nside","a=b; c=d"'))
    expect(rows).toEqual([['Door, "north"\nside', 'a=b; c=d']])
  })

  test('as spreadsheets in French write it, in Windows-1252', () => {
    const text = Uint8Array.from([...'nom;étage\nEntrée;2'].map((sign) => sign.charCodeAt(0)))
    expect(readTable(text)).toEqual({ header: ['nom', 'étage'], rows: [['Entrée', '2']] })
  })
})

test.each([
  ['nothing', bytes(''), 'table_empty'],
  ['a header alone', bytes('name,address\n'), 'table_empty'],
  ['a spreadsheet, not its export', Uint8Array.from([0x50, 0x4b, 3, 4, 0, 0]), 'table_binary'],
  ['an open quote', bytes('name\n"Door'), 'table_malformed:2'],
  ['more rows than fit', bytes(`name\n${'Door\n'.repeat(tableRows + 1)}`), `table_rows:${tableRows}`],
  ['more bytes than fit', new Uint8Array(10 * 1024 * 1024 + 1).fill(65), 'table_too_large'],
])('%s is refused in words', (_, input, why) => {
  expect(fault(input)).toBe(why)
})

const names = {
  device_name: ['cameraname', 'nom'],
  stream_address: ['rtspurl', 'adresse'],
  password: ['motdepasse'],
  device_tags: ['etiquettes'],
}
const columns = ['device_name', 'stream_address', 'password'] as const

test('columns are known by their English and French names, whatever their case and accents', () => {
  expect(guessMapping(['Camera name', 'RTSP URL', 'Mot de passe', 'Étiquettes', 'Other'], names)).toEqual({
    device_name: 0,
    stream_address: 1,
    password: 2,
    device_tags: 3,
  })
})

test('rows hold every column; one that is not mapped, or that a short row lacks, is empty', () => {
  const [first, second] = toRows(readTable(bytes('adresse,nom\nrtsp://a/1,Door\nrtsp://a/2')), columns, {
    device_name: 1,
    stream_address: 0,
  })
  expect(first).toMatchObject({ device_name: 'Door', stream_address: 'rtsp://a/1', password: '' })
  expect(second).toMatchObject({ device_name: '', stream_address: 'rtsp://a/2' })
})

test('what is written comes back the same, and no cell is a formula to a spreadsheet', () => {
  const line = ['=HYPERLINK("http://x")', '+1', '-1', '@x', 'plain, "quoted"\nhere', 'Entrée']
  const text = writeTable([['a', 'b', 'c', 'd', 'e', 'f'], line])
  expect(text).toContain("'=HYPERLINK")
  expect(readTable(bytes(text)).rows).toEqual([line])
  expect(text.split('\r\n')[1]).toMatch(/^"'=HYPERLINK\(""http:\/\/x""\)",'\+1,'-1,'@x,/)
})
