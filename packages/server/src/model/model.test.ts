import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Head, heads } from '@sightline/domain'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { colourDetector, graph, onnxFile } from '../../../domain/src/testing/onnx-file.ts'
import { type Client, type TestApp, testApp } from '../testing/app.ts'
import { multipart } from '../testing/multipart.ts'
import { checkModel } from './check.ts'

let t: TestApp
let admin: Client
beforeAll(async () => {
  t = await testApp()
  admin = await t.signIn('admin')
})
afterAll(() => t.close())

const url = '/api/v1/upload'
const send = (bytes: Uint8Array, client = admin) =>
  client.send({
    method: 'POST',
    url,
    ...multipart({ kind: 'model', file: Buffer.from(bytes) }, { name: 'm.onnx', type: '' }),
  })
const upload = async (bytes: Uint8Array, client = admin): Promise<string> =>
  (await send(bytes, client)).body.response.path
const labels = { 0: 'person', 1: 'helmet', 2: 'no_helmet' }
let count = 0
const add = async (head: Head = 'yolov8', client = admin) => {
  const path = await upload(colourDetector(head), client)
  return client.call('model.create', { model_name: `Model ${++count}`, path, head, labels })
}
/** Two coloured cells on grey, 640 × 360. */
const painted = async () => {
  const cell = (background: string) => ({ create: { width: 64, height: 64, channels: 3 as const, background } })
  const paste = async (background: string, left: number, top: number) => ({
    input: await sharp(cell(background)).png().toBuffer(),
    left,
    top,
  })
  return sharp({ create: { width: 640, height: 360, channels: 3, background: 'rgb(114,114,114)' } })
    .composite([await paste('rgb(255,0,0)', 192, 52), await paste('rgb(0,0,255)', 384, 180)])
    .png()
    .toBuffer()
}
const stored = () => readdirSync(join(t.services.env.dataDir, 'models'))

describe('a model', () => {
  test('is uploaded, checked on a picture, confirmed, listed and deleted, and each step leaves its trace', async () => {
    const bytes = colourDetector('yolov8', 320, ['Hardhat', 'NO-Hardhat', 'banana'])
    const { status, body } = await send(bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect([status, body.response]).toEqual([200, expect.objectContaining({ size: bytes.length, sha256 })])
    const { path } = body.response

    const picture = (await admin.send({ method: 'POST', url, ...multipart({ kind: 'image', file: await painted() }) }))
      .body.response.path
    const checked = (await admin.call('model.check', { path, picture })).body.response
    expect(checked).toMatchObject({
      ...{ opset: 13, input_width: 320, input_height: 320, head: 'yolov8', classes: 3, blank_boxes: 0, sha256 },
      inputs: [{ name: 'images', type: 'float32', dims: [1, 3, 320, 320] }],
      outputs: [{ name: 'output0', type: 'float32', dims: [1, 7, 100] }],
      names: { 0: 'Hardhat', 1: 'NO-Hardhat', 2: 'banana' },
      labels: { 0: 'helmet', 1: 'no_helmet' },
    })
    const inPixels = checked.boxes.map(({ box: [x, y, w, h], class_index }: Checked) => [
      class_index,
      ...[x * 640, y * 360, w * 640, h * 360].map(Math.round),
    ])
    expect(inPixels.sort()).toEqual([
      [0, 192, 52, 64, 64],
      [2, 384, 180, 64, 64],
    ])

    const made = await admin.call('model.create', { model_name: 'Site safety', path, head: 'yolov8', labels })
    expect([made.status, made.body.response]).toEqual([
      201,
      expect.objectContaining({ sha256, labels, state: 'ready', state_cause: null, pipelines: 0, head: 'yolov8' }),
    ])
    expect(made.body.response.usecase_keys).toEqual(expect.arrayContaining(['pplcnt', 'ppedtec']))
    expect(made.body.response.usecase_keys).not.toContain('frdtec')
    const { model_id } = made.body.response
    const viewer = await t.signIn('viewer')
    expect((await viewer.call('model.list')).body.response.map((one: { model_id: string }) => one.model_id)).toContain(
      model_id,
    )

    expect((await admin.call('model.delete', { model_id })).status).toBe(200)
    expect(stored()).not.toContain(`${path.slice(-36)}.onnx`)
    const traces = await t.services.db.owner((trx) =>
      trx
        .selectFrom('trace')
        .select(['code', 'object_name'])
        .where('object_uid', '=', model_id)
        .orderBy('id')
        .execute(),
    )
    expect(traces).toEqual([
      { code: 'model.create', object_name: 'Site safety' },
      { code: 'model.delete', object_name: 'Site safety' },
    ])
  })
  type Checked = { box: [number, number, number, number]; class_index: number }

  test.each(heads)('with a %s head is run, and the likeliest head is offered', async (head) => {
    const { body } = await admin.call('model.check', { path: await upload(colourDetector(head)) })
    // One grid alone does not tell YOLOX from YOLOv5: the person does.
    expect(body.response.head).toBe(head === 'yolox' ? 'yolov5' : head)
    expect(body.response.heads).toContain(head)
    expect((await add(head)).status).toBe(201)
  })

  test('that a pipeline names stays; one of another organization cannot be named', async () => {
    const model = (await add()).body.response
    const nimble = await t.make.nimble({}, await t.make.home())
    const elements = (model_id: string) => ({ 'detector.kind': 'onnx', 'detector.model': model_id })
    const pipeline = { pipeline_name: 'Helmets', nimble_id: nimble.uid, pipeline_usecase: 'ppedtec' }
    const created = await admin.call('pipeline.create', { ...pipeline, pipeline_elements: elements(model.model_id) })
    expect(created.status).toBe(201)
    const refused = await admin.call('model.delete', { model_id: model.model_id })
    expect([refused.status, refused.body.error_code, refused.body.args]).toEqual([409, 'model_in_use', { count: 1 }])
    await admin.call('pipeline.delete', { pipeline_id: created.body.response.pipeline_id })
    expect((await admin.call('model.delete', { model_id: model.model_id })).status).toBe(200)

    const elsewhere = await t.make.model({}, await t.make.organization())
    for (const unknown of [elsewhere.uid, model.model_id, 'x']) {
      const answer = await admin.call('pipeline.create', { ...pipeline, pipeline_elements: elements(unknown) })
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        { 'pipeline_elements.detector.model': ['model_missing'] },
      ])
    }
    expect((await admin.call('model.delete', { model_id: elsewhere.uid })).status).toBe(404)
  })

  test('whose file is gone says so', async () => {
    const row = await t.make.model({}, await t.make.home())
    const list = (await admin.call('model.list')).body.response
    expect(list.find((one: { model_id: string }) => one.model_id === row.uid)).toMatchObject({
      state: 'refused',
      state_cause: 'model_missing',
    })
  })

  test('needs labels for classes that it has, and a name of its own', async () => {
    const path = await upload(colourDetector('yolov8'))
    const create = (more: object) =>
      admin.call('model.create', { model_name: 'Mine', path, head: 'yolov8', labels, ...more })
    expect((await create({ labels: {} })).body.errors).toEqual({ labels: ['label_required'] })
    expect((await create({ labels: { 3: 'person' } })).body.errors).toEqual({ 'labels.3': ['label_class'] })
    expect((await create({ head: 'detr' })).body.errors).toEqual({ path: ['model_head:1 × 7 × 100'] })
    expect((await create({})).status).toBe(201)
    expect((await create({})).body.errors).toEqual({ path: ['upload_unknown'] })
    const again = await upload(colourDetector('yolov8'))
    expect((await create({ path: again })).body.errors).toEqual({ model_name: ['name_taken'] })
  })

  test('is for administrators to upload, and for whoever uploaded it to confirm', async () => {
    const user = await t.signIn('user')
    const before = stored().length
    expect((await send(colourDetector('yolov8'), user)).status).toBe(403)
    const path = await upload(colourDetector('yolov8'))
    const other = await t.signIn('admin')
    const answer = await other.call('model.check', { path })
    expect([answer.status, answer.body.errors]).toEqual([400, { path: ['upload_unknown'] }])
    // One trial at a time: the next upload takes the place of what was not confirmed.
    await upload(colourDetector('detr'))
    expect(stored().length).toBeLessThanOrEqual(before + 1)
    expect((await admin.call('model.check', { path })).body.errors).toEqual({ path: ['upload_unknown'] })
    expect(readdirSync(join(t.services.env.dataDir, 'uploads'))).toEqual([])
  })
})

describe('a file is refused in words, and the portal goes on:', () => {
  const input = { name: 'images', dims: [1, 3, 64, 64] }
  const output = { name: 'out', dims: [1, 3, 64, 64] }
  const relu = { op: 'Relu', in: ['images'], out: ['out'] }
  const plain = (of: Partial<Parameters<typeof onnxFile>[0]>) =>
    onnxFile({ nodes: [relu], inputs: [input], outputs: [output], ...of })

  test.each<[string, () => Uint8Array, string | RegExp]>([
    ['half of a model', () => colourDetector('yolov8').subarray(0, 900), 'model_truncated'],
    [
      'an operator that does not exist',
      () => plain({ nodes: [{ ...relu, op: 'Nonsense' }] }),
      /^model_unrunnable:.*Nonsense/,
    ],
    ['an answer without boxes', () => plain({}), 'model_head:1 × 3 × 64 × 64'],
  ])('%s', async (_, bytes, fault) => {
    const { status, body } = await admin.call('model.check', { path: await upload(bytes()) })
    expect(status).toBe(400)
    expect(body.errors.path).toEqual([typeof fault === 'string' ? fault : expect.stringMatching(fault)])
  })

  test('one that asks for memory without end', async () => {
    const nodes = [
      { op: 'ConstantOfShape', in: ['shape'], out: ['huge'] },
      { op: 'ReduceSum', in: ['huge'], out: ['sum'], attributes: { keepdims: 0 } },
      { op: 'Add', in: ['images', 'sum'], out: ['out'] },
    ]
    // 400 GB, from a file of some bytes.
    const bytes = plain({ nodes, weights: [{ name: 'shape', dims: [1], ints: [100_000_000_000] }] })
    const { body } = await admin.call('model.check', { path: await upload(bytes) })
    expect(body.errors.path[0]).toMatch(/^model_(unrunnable|too_much_memory|crashes)/)
  })

  test('one that takes more memory, or more time, than it may', async () => {
    const write = async (bytes: Uint8Array) =>
      join(t.services.env.dataDir, 'models', `${(await upload(bytes)).slice(-36)}.onnx`)
    const picture = await painted()
    const nodes = [
      { op: 'Expand', in: ['images', 'shape'], out: ['large'] },
      { op: 'ReduceSum', in: ['large'], out: ['sum'], attributes: { keepdims: 0 } },
      { op: 'Add', in: ['images', 'sum'], out: ['out'] },
    ]
    const large = await write(plain({ nodes, weights: [{ name: 'shape', dims: [4], ints: [30_000, 3, 64, 64] }] }))
    await expect(
      checkModel(1, large, null, picture, { timeMs: 20_000, memoryBytes: 400 * 1024 ** 2 }),
    ).rejects.toMatchObject({
      errors: { path: ['model_too_much_memory:400'] },
    })
    const body = graph({
      nodes: [
        { op: 'Identity', in: ['on'], out: ['still'] },
        { op: 'Sin', in: ['v'], out: ['w'] },
      ],
      inputs: [
        { name: 'i', dims: [], type: 7 },
        { name: 'on', dims: [], type: 9 },
        { name: 'v', dims: [1, 3, 64, 64] },
      ],
      outputs: [
        { name: 'still', dims: [], type: 9 },
        { name: 'w', dims: [1, 3, 64, 64] },
      ],
    })
    const endless = await write(
      plain({
        nodes: [{ op: 'Loop', in: ['trips', '', 'images'], out: ['out'], attributes: { body } }],
        weights: [{ name: 'trips', dims: [], ints: [2 ** 53] }],
      }),
    )
    await expect(checkModel(1, endless, null, picture, { timeMs: 3000, memoryBytes: 1024 ** 3 })).rejects.toMatchObject(
      {
        errors: { path: ['model_too_slow:3'] },
      },
    )
    expect(existsSync(endless)).toBe(true)
  })

  test('one beyond 200 MB, without a rest on the disk', async () => {
    const base = await t.listen()
    const boundary = 'b'
    const head = [
      ...[`--${boundary}`, 'content-disposition: form-data; name="kind"', '', 'model'],
      ...[`--${boundary}`, 'content-disposition: form-data; name="file"; filename="m.onnx"', '', ''],
    ].join('\r\n')
    const megabyte = Buffer.alloc(1024 * 1024)
    async function* body() {
      yield Buffer.from(head)
      for (let i = 0; i < 201; i++) yield megabyte
      yield Buffer.from(`\r\n--${boundary}--\r\n`)
    }
    const answer = await fetch(base + url, {
      method: 'POST',
      headers: {
        ...{ cookie: admin.cookie as string, 'x-csrf-token': admin.csrf as string, origin: base },
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: Readable.toWeb(Readable.from(body())),
      duplex: 'half',
    } as RequestInit)
    expect([answer.status, ((await answer.json()) as { errors: unknown }).errors]).toEqual([
      413,
      { file: ['file_too_large'] },
    ])
    expect(readdirSync(join(t.services.env.dataDir, 'uploads'))).toEqual([])
  })
})
