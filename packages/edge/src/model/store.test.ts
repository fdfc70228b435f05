import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkModelPartBytes } from '@sightline/contract/edge'
import { afterEach, expect, test } from 'vitest'
import { keepingLog, until } from '../testing/records.ts'
import type { WantedFile } from './attached.ts'
import { type FetchPart, FetchRefused, LinkEnded, type ModelStore, openModelStore } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'model-store-'))
let stores: ModelStore[] = []
let told: string[] = []
afterEach(async () => {
  await Promise.all(stores.map((store) => store.stop()))
  stores = []
  told = []
  rmSync(folder, { recursive: true, force: true })
})

const open = (wanted: () => WantedFile | undefined) => {
  const store = openModelStore(folder, keepingLog(), () => {
    const model = wanted()
    const state = model && store.state(model)
    if (state) told.push('cause' in state ? state.cause : 'ready')
  })
  stores.push(store)
  return store
}
const bytes = randomBytes(5 * linkModelPartBytes + 100)
const model: WantedFile = {
  sha256: createHash('sha256').update(bytes).digest('hex'),
  size: bytes.length,
  wish: { type: 'model.get', model_id: '00000000-0000-7000-8000-0000000000aa' },
}
const portal: FetchPart = async (_, from) => bytes.subarray(from, from + linkModelPartBytes)
const isReady = (store: ModelStore) => 'file' in store.state(model)

test('what had come when the edge server was stopped is there when it starts again', async () => {
  const store = open(() => model)
  let stopped: Promise<void> | undefined
  store.want([model])
  store.online(async (_, from) => {
    if (from === 2 * linkModelPartBytes) stopped = store.stop()
    return bytes.subarray(from, from + linkModelPartBytes)
  })
  await until(() => stopped !== undefined, 'it is stopped')
  await stopped
  const kept = readFileSync(join(folder, `${model.sha256}.part`))
  expect(kept.equals(bytes.subarray(0, 3 * linkModelPartBytes))).toBe(true)
})

test('a model is fetched part by part, its progress told, taken up where the link broke, and kept over a restart', async () => {
  const store = open(() => model)
  store.want([model])
  expect(store.state(model)).toEqual({ cause: 'model_loading:0' })
  const asked: number[] = []
  store.online(async (id, from) => {
    asked.push(from)
    if (asked.length === 3) throw new LinkEnded()
    return portal(id, from)
  })
  await until(() => asked.length === 3, 'the link breaks')
  store.online(null)
  expect(isReady(store)).toBe(false)
  store.online(async (id, from) => {
    asked.push(from)
    return portal(id, from)
  })
  await until(() => isReady(store), 'the model is here')
  const part = linkModelPartBytes
  expect(asked).toEqual([0, part, 2 * part, 2 * part, 3 * part, 4 * part, 5 * part])
  expect(told).toEqual([
    ...['model_loading:0', 'model_loading:10', 'model_loading:30'],
    ...['model_loading:50', 'model_loading:70', 'model_loading:90', 'ready'],
  ])
  expect(readFileSync(join(folder, model.sha256)).equals(bytes)).toBe(true)

  const again = open(() => model)
  again.want([model])
  await until(() => isReady(again), 'the kept file is found')
  expect(asked.length).toBe(7)
  again.want([])
  await until(() => readdirSync(folder).length === 0, 'the file goes')
})

test.each<[string, FetchPart, string]>([
  ['other bytes', async (_, from) => Buffer.alloc(Math.min(linkModelPartBytes, bytes.length - from)), 'model_corrupt'],
  ['more than the file', async () => Buffer.alloc(bytes.length + 1), 'model_corrupt'],
  ['nothing', async () => new Uint8Array(), 'model_corrupt'],
  [
    'that it has none',
    async () => {
      throw new FetchRefused('model_missing')
    },
    'model_missing',
  ],
])('a portal that sends %s costs the model, not the edge server', async (_, fetch, cause) => {
  const store = open(() => model)
  store.want([model])
  store.online(fetch)
  await until(() => told.includes(cause), cause)
  expect(store.state(model)).toEqual({ cause })
  expect(existsSync(join(folder, model.sha256))).toBe(false)
})
