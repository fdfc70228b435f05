import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepStill } from '../media/store.ts'
import type { Scope } from '../scope.ts'
import { type TestApp, testApp } from '../testing/app.ts'
import { patternFrom } from '../testing/pictures.ts'
import { compareStills, viewOf } from './view.ts'

let t: TestApp
let scope: Scope
let keep: (jpeg: Buffer) => Promise<string>
let seenFrom: (reference: string | null, now: string | null) => ReturnType<typeof viewOf>
beforeAll(async () => {
  t = await testApp()
  const device = await t.make.device()
  const { id } = await t.make.user('admin')
  scope = {
    principal: { tenantId: device.tenant_id, userId: id, role: 'admin' } as Scope['principal'],
    ...{ tenantId: device.tenant_id, siteIds: null, usecaseIds: null, channelUids: null },
  }
  keep = (jpeg) => keepStill(t.services, device, jpeg, id)
  seenFrom = (reference_uid, now) =>
    viewOf(t.services, scope, { tenant_id: device.tenant_id, device_id: device.id, reference_uid }, now)
})
afterAll(() => t.close())

const clips = ['pedestrians.mp4', 'scenes/corridor.mp4', 'scenes/lobby.mp4', 'scenes/warehouse.mp4'].map((name) =>
  join(import.meta.dirname, '../../../../../shared/footage', name),
)
const reason = existsSync(clips[0] as string) ? null : 'the footage is not on this machine'

/** One picture of a clip, after so many seconds. */
const pictureOf = (clip: string, seconds: number): Buffer => {
  const cut = ['-ss', String(seconds), '-i', clip, '-frames:v', '1']
  return execFileSync('ffmpeg', ['-v', 'error', ...cut, '-f', 'image2pipe', '-c:v', 'mjpeg', '-q:v', '3', '-'])
}

/** The camera's view lies within the picture of the clip, so that it can be turned: shares of its width and height. */
async function look(picture: Buffer, x = 0.05, y = 0.05, share = 0.85): Promise<Sharp> {
  const { width, height } = await sharp(picture).metadata()
  const [left, top] = [Math.round(x * width), Math.round(y * height)]
  return sharp(picture).extract({
    left,
    top,
    width: Math.round(share * width),
    height: Math.round(share * height),
  })
}

test.skipIf(reason)(
  `people, minutes and light leave a view the same, a turned camera is noticed${reason ? ` (${reason})` : ''}`,
  async () => {
    const found: Record<string, (string | null)[]> = {}
    for (const clip of clips) {
      const reference = await keep(await (await look(pictureOf(clip, 1))).jpeg().toBuffer())
      const later = pictureOf(clip, 40)
      const seen = async (name: string, picture: Sharp) => {
        const view = await seenFrom(reference, await keep(await picture.jpeg().toBuffer()))
        found[name] = [...(found[name] ?? []), view]
      }
      await seen('later', await look(later))
      await seen('at dusk', (await look(later)).linear(0.4, -10))
      await seen('in a breath of wind', await look(later, 0.053))
      await seen('turned by 3 % of the width', await look(later, 0.08))
      await seen('tilted by 4 % of the height', await look(later, 0.05, 0.09))
      await seen('zoomed in', await look(later, 0.09, 0.09, 0.77))
      await seen('covered', (await look(later)).linear(0, 0))
    }
    const all = (view: string) => clips.map(() => view)
    expect(found).toEqual({
      later: all('same'),
      'at dusk': all('same'),
      'in a breath of wind': all('same'),
      'turned by 3 % of the width': all('moved'),
      'tilted by 4 % of the height': all('moved'),
      'zoomed in': all('moved'),
      covered: all('different'),
    })
  },
  60_000,
)

test('without a picture, with a broken one, or with nothing in it, nothing is said', async () => {
  const grey = await sharp({ create: { width: 320, height: 180, channels: 3, background: '#777' } })
    .jpeg()
    .toBuffer()
  const flat = await keep(grey)
  expect(await seenFrom(null, flat)).toBeNull()
  expect(await seenFrom(flat, null)).toBeNull()
  expect(await seenFrom(flat, await keep(grey))).toBeNull()
  expect(await seenFrom(flat, await keep(grey.subarray(0, 40)))).toBeNull()
  expect(await seenFrom(crypto.randomUUID(), flat)).toBeNull()
})

test('a mask, which stays where it is in each picture, does not hide that the camera was turned', async () => {
  const lefts = [0.1, 0.4, 0.75]
  const masks = lefts.map((x): [number, number][] => [
    [x, 0.1],
    [x + 0.15, 0.1],
    [x + 0.15, 0.9],
    [x, 0.9],
  ])
  const painted = async (share: number) => {
    const box = await sharp({ create: { width: 144, height: 432, channels: 3, background: '#727272' } })
      .png()
      .toBuffer()
    return sharp(await patternFrom(share))
      .composite(lefts.map((x) => ({ input: box, left: Math.round(x * 960), top: 54 })))
      .jpeg()
      .toBuffer()
  }
  expect(await compareStills(await painted(0.05), await painted(0.05), masks)).toBe('same')
  expect(await compareStills(await painted(0.05), await painted(0.09), masks)).toBe('moved')
})
