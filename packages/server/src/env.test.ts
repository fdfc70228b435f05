import { describe, expect, test } from 'vitest'
import { EnvFault, ownOrigins, readEnv } from './env.ts'

test('nothing set means loopback, port 8080 and ./data', () => {
  expect(readEnv({})).toEqual({
    port: 8080,
    host: '127.0.0.1',
    callsPerMinute: 1200,
    dataDir: './data',
    publicUrl: null,
    apiBase: '/api/v1',
    databaseUrl: null,
    demoCameras: 0,
    localNimblePort: null,
    trustedProxies: [],
    metricsPort: null,
    licensePublicKey: null,
    geocoderUrl: null,
  })
})

describe('a value that cannot be used is named, with what is accepted', () => {
  const faults: [string, Record<string, string>, RegExp][] = [
    ['a port that is a word', { PORT: 'web' }, /^PORT is "web", but must be a whole number from 0 to 65535\.$/],
    ['a port beyond the last', { PORT: '65536' }, /^PORT /],
    ['a negative number of cameras', { DEMO_CAMERAS: '-1' }, /^DEMO_CAMERAS /],
    ['so few calls that no screen would load', { CALLS_PER_MINUTE: '10' }, /^CALLS_PER_MINUTE .*from 60 to 100000/],
    ['a host with a scheme', { HOST: 'http://x' }, /^HOST .*host name or an IP address/],
    ['a reachable host without its address', { HOST: '0.0.0.0' }, /^HOST .*PUBLIC_URL must give the https address/],
    ['http across a network', { PUBLIC_URL: 'http://portal.example.org' }, /^PUBLIC_URL .*https:/],
    ['a public address with a path', { PUBLIC_URL: 'https://example.org/portal' }, /^PUBLIC_URL .*without a path/],
    ['an API base without a slash', { API_BASE: 'api' }, /^API_BASE .*such as \/api\/v1/],
    ['another database', { DATABASE_URL: 'mysql://u:hidden@h/d' }, /^DATABASE_URL must be postgres:/],
    ['a licence key of another kind', { LICENSE_PUBLIC_KEY: 'c2hvcnQ=' }, /^LICENSE_PUBLIC_KEY must be an Ed25519/],
    ['a proxy by name', { TRUSTED_PROXIES: 'proxy.local' }, /^TRUSTED_PROXIES /],
  ]
  test.each(faults)('%s', (_, variables, sentence) => {
    expect(() => readEnv(variables)).toThrow(EnvFault)
    expect(() => readEnv(variables)).toThrow(sentence)
  })
  test('a database password is not repeated', () => {
    expect(() => readEnv({ DATABASE_URL: 'mysql://u:hidden@h/d' })).not.toThrow(/hidden/)
  })
})

test('empty values count as unset, a slash after the API base is left out', () => {
  expect(readEnv({ PORT: ' ', API_BASE: '/portal/api/' })).toMatchObject({ port: 8080, apiBase: '/portal/api' })
})

test('the accepted origins are the public one, or this machine by name and number', () => {
  expect(ownOrigins(readEnv({}), 9000)).toEqual(['http://127.0.0.1:9000', 'http://localhost:9000'])
  expect(ownOrigins(readEnv({ HOST: '0.0.0.0', PUBLIC_URL: 'https://portal.example.org/' }), 9000)).toEqual([
    'https://portal.example.org',
  ])
})
