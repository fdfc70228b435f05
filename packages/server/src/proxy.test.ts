import { expect, test } from 'vitest'
import { testApp } from './testing/app.ts'

const start = async (trusted: string) => {
  const lines: { level: number; msg: string; ip?: string }[] = []
  const log = { level: 'info', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } }
  const t = await testApp({ TRUSTED_PROXIES: trusted }, {}, log)
  const ask = (forwarded?: string) =>
    t.stranger().send({
      url: '/api/v1/status',
      remoteAddress: '10.0.0.7',
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded, 'x-forwarded-host': 'evil.example' },
    })
  return { t, ask, lines, warnings: () => lines.filter(({ level }) => level >= 40).map(({ msg }) => msg) }
}

test('what a proxy forwards counts only where it is declared; one that is not is named in the log, once', async () => {
  const { t, ask, lines, warnings } = await start('')
  try {
    await ask()
    expect(warnings()).toEqual([])
    for (let i = 0; i < 3; i++) await ask('203.0.113.5')
    expect(warnings()).toEqual([
      '10.0.0.7 forwards the requests of others, but TRUSTED_PROXIES does not name it: they all count as one address',
    ])
    expect([...new Set(lines.flatMap(({ ip }) => ip ?? []))]).toEqual(['10.0.0.7'])
  } finally {
    await t.close()
  }
})

test('a declared proxy speaks for its clients', async () => {
  const { t, ask, lines, warnings } = await start('10.0.0.0/8')
  try {
    await ask('203.0.113.5')
    expect(warnings()).toEqual([])
    expect(lines.flatMap(({ ip }) => ip ?? [])).toEqual(['203.0.113.5'])
  } finally {
    await t.close()
  }
})
