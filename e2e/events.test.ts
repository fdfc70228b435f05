import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EventEntity } from '@sightline/contract'
import { expect, test } from 'vitest'
import { signIn } from './api.ts'
import { axeFaults } from './browser.ts'
import { focus, press } from './keyboard.ts'
import { type Prepared, password, prepare, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, shots } from './stage.ts'

let prepared: Prepared
const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepare(product)
})

test('an intrusion comes by itself, and its clip, evidence and picture are a few clicks away', async () => {
  const viewer = await signIn(stage.product.origin, usernameOf('super_viewer'), password)
  // A clip that is being written answers 409 until it is complete.
  const page = await stage.as(usernameOf('super_viewer'), { expected: [/409/] })
  const intrusions = async () =>
    (await viewer.call('event', 'range', {
      usecase_key: 'intrdtec',
      view: 'occasions',
      event_limit: 1,
    } as never)) as EventEntity[]

  await page.goto(`${stage.product.origin}/event?uc=intrdtec&period=h1`)
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  await page.getByRole('switch', { name: 'Follow live' }).click()
  const row = page.locator('a[href*="/event/detail"]').first()
  await row.waitFor()
  const [newest] = await until('an intrusion with a clip', async () => {
    const found = await intrusions()
    return found[0]?.clip_url ? found : null
  })
  expect(newest?.occasion).toMatchObject({ is_instant: false })
  expect(await axeFaults(page)).toEqual([])

  await row.click()
  await page.locator('label', { hasText: /^Clip$/ }).click()
  const video = page.locator('video')
  await video.waitFor()
  const played = await until('the clip plays', () =>
    video.evaluate(async (player: HTMLVideoElement) => {
      await player.play()
      return player.currentTime > 0.5 ? { seconds: player.duration, width: player.videoWidth } : null
    }),
  )
  expect(played.seconds).toBeGreaterThan(8)
  expect(played.seconds).toBeLessThan(61)
  expect(played.width).toBeGreaterThan(0)

  await page.getByRole('button', { name: 'Collect' }).click()
  const clip = page.locator('li', { hasText: '.mp4' })
  const sum = /SHA-256 ([\da-f]{64})/.exec((await clip.textContent()) ?? '')?.[1]
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    clip.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(
    createHash('sha256')
      .update(readFileSync(await file.path()))
      .digest('hex'),
  ).toBe(sum)

  await page.goBack()
  await row.waitFor()
  expect(new URL(page.url()).searchParams.get('uc')).toBe('intrdtec')
  const [sheet] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(readFileSync(await sheet.path(), 'utf8')).toContain('"Intrusion')

  // The period narrows by keyboard, and the address keeps it.
  const begins = page.getByRole('slider', { name: 'Beginning of the period' })
  await begins.focus()
  await page.keyboard.press('PageUp')
  await page.keyboard.press('Enter')
  await page.waitForURL(/from=/)
  await page.getByRole('button', { name: 'Whole period' }).click()
  await row.waitFor()

  await page.getByRole('link', { name: 'Gallery' }).click()
  const tile = page.locator('main button:has(img)').first()
  await tile.waitFor()
  expect(new URL(page.url()).searchParams.get('uc')).toBe('intrdtec')
  await tile.click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open event' }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })

  // Chosen pictures come with their records and hashes in one archive.
  await page.getByRole('checkbox').first().check()
  const [archive] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download with hashes' }).click(),
  ])
  const bytes = readFileSync(await archive.path())
  const text = bytes.toString('latin1')
  const from = text.indexOf('-manifest.json') + '-manifest.json'.length
  const manifest = JSON.parse(text.slice(from, text.indexOf('\n}\n', from) + 2))
  const picture = manifest.files.find(({ content_type }: { content_type: string }) => content_type === 'image/jpeg')
  const at = bytes.indexOf(picture.name) + picture.name.length
  const sha256 = createHash('sha256').update(bytes.subarray(at, at + picture.size))
  expect(sha256.digest('hex')).toBe(picture.sha256)

  // From event to event by key, to the one before and back.
  const last = await until('a second intrusion', async () => {
    const [found] = await intrusions()
    const { older } = await viewer.call('event', 'neighbours', { event_uuid: found?.event_uuid ?? '' })
    return older ? found : null
  })
  await page.goto(`${stage.product.origin}/event/detail?eid=${last.event_uuid}`)
  await page.getByRole('button', { name: 'Older' }).and(page.locator(':enabled')).waitFor()
  await page.keyboard.press('j')
  await page.waitForURL((url) => url.searchParams.get('eid') !== last.event_uuid)
  await page.getByRole('button', { name: 'Newer' }).and(page.locator(':enabled')).waitFor()
  await page.keyboard.press('k')
  await page.waitForURL((url) => url.searchParams.get('eid') === last.event_uuid)
})

test('every filter of an address shows as a chip, also the site that no field shows, and goes by keyboard', async () => {
  const { sid, cid, uid } = prepared.ids
  const page = await stage.as(usernameOf('super_viewer'), { width: 390, height: 844, dark: true })
  const [from, to] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)].map((at) => at.toISOString())
  await page.goto(
    `${stage.product.origin}/event?sid=${sid}&cid=${cid}&uid=${uid}&uc=pplcnt&key=total&show=all&from=${from}&to=${to}`,
  )
  const chips = page.getByRole('group', { name: 'Filters of this list' })
  const chip = (name: RegExp) => chips.getByRole('button', { name })
  await chip(/“Site: Lyon DC”/).waitFor()
  await chip(/“Analytic: At pplcnt”/).waitFor()
  expect(await chips.getByRole('button', { name: /^Remove the filter/ }).allTextContents()).toEqual([
    ...['Site: Lyon DC', 'Use case: People counting', 'Analytic: At pplcnt', 'Metric: Total', 'Shown: Every record'],
    expect.stringMatching(/^Period: \d{4}-/),
  ])
  expect(await axeFaults(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.screenshot({ path: `${shots}event-chips-390.png` })

  const parts = () => [...new URL(page.url()).searchParams.keys()].toSorted()
  await focus(page, /“Site: Lyon DC”/)
  await page.keyboard.press('Enter')
  await until('the site is gone', () => !parts().includes('sid'))
  expect(parts()).toEqual(['cid', 'from', 'key', 'show', 'to', 'uc', 'uid'])
  // The keyboard goes on at the next one.
  await until('the next has the focus', () =>
    page.evaluate(() => document.activeElement?.textContent === 'Use case: People counting'),
  )
  await focus(page, /“Analytic:/)
  await page.keyboard.press('Enter')
  await until('its use case goes along', () => !parts().includes('uid'))
  await press(page, /^\W*Clear filters/)
  await until('nothing is left', () => parts().length === 0)
  await chips.waitFor({ state: 'detached' })
  // The button went with them: the keyboard goes on at the list.
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')

  const french = await stage.as(usernameOf('super_viewer'), { locale: 'fr-FR' })
  await french.goto(`${stage.product.origin}/event/gallery?sid=${sid}`)
  await french.getByRole('button', { name: 'Retirer le filtre «\u00a0Site\u00a0: Lyon DC\u00a0»' }).click()
  await until('it is gone', () => !new URL(french.url()).searchParams.has('sid'))
})

test('what has just ended may go on, and is over only after that time', async () => {
  const viewer = await signIn(stage.product.origin, usernameOf('super_viewer'), password)
  const [event] = (await viewer.call('event', 'range', {
    usecase_key: 'intrdtec',
    view: 'occasions',
    event_limit: 1,
  } as never)) as EventEntity[]
  const page = await stage.as(usernameOf('super_viewer'), { expected: [/409/] })
  // When it ended is said here: of the 30 s few are over when the page asks.
  let ended_at = ''
  await page.route('**/event/id?*', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    ended_at ||= new Date(Date.now() - 5000).toISOString()
    Object.assign(body.response.occasion, { ended_at, end_cause: 'lost' })
    await route.fulfill({ response, json: body })
  })
  await page.goto(`${stage.product.origin}/event/detail?eid=${event?.event_uuid}`)
  await page.getByText('Just ended', { exact: true }).waitFor()
  await page.getByText('What follows within 30 s of its end belongs to it').waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.getByText('Over', { exact: true }).waitFor()
  expect(await page.getByText('May go on', { exact: true }).count()).toBe(0)
  await page.unrouteAll({ behavior: 'wait' })
})

test('a picture that is not to be had is words in the gallery, and nothing broken in lists', async () => {
  const page = await stage.as(usernameOf('super_viewer'), { width: 390, height: 844, dark: true, expected: [/404/] })
  await page.route('**/api/v1/media/**', (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(`${stage.product.origin}/event/gallery?uc=intrdtec`)
  await page.locator('main button', { hasText: 'The picture is not to be had' }).first().waitFor()
  // What is further down is asked for when it is scrolled to.
  const broken = () =>
    page.evaluate(
      () => [...document.images].filter(({ complete, naturalWidth }) => complete && naturalWidth === 0).length,
    )
  expect(await broken()).toBe(0)
  expect(await axeFaults(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.screenshot({ path: `${shots}gallery-gone-390.png` })
  await page.goto(`${stage.product.origin}/event?uc=intrdtec`)
  await page.locator('a[href*="/event/detail"] span > svg').first().waitFor()
  await until('nothing broken is shown', async () => (await broken()) === 0)
})

test('the gallery tells and takes its period by the clock that was chosen, also where it has no picture', async () => {
  const page = await stage.as(usernameOf('super_viewer'))
  const [from, to] = ['2026-05-04T12:00:00.000Z', '2026-05-04T13:00:00.000Z']
  await page.goto(`${stage.product.origin}/event/gallery?from=${from}&to=${to}`)
  const begin = page.getByLabel('From')
  await until('by the clock of the site', async () => (await begin.inputValue()) === '2026-05-04T14:00')
  await page.getByText('2026-05-04 14:00 – 2026-05-04 15:00').waitFor()
  await page.getByRole('radiogroup', { name: 'Times by the clock of' }).getByText('UTC').click()
  await until('by the one that was chosen', async () => (await begin.inputValue()) === '2026-05-04T12:00')
  await page.getByText('2026-05-04 12:00 – 2026-05-04 13:00').waitFor()
  await begin.fill('2026-05-04T11:30')
  await begin.press('Enter')
  await until('what is typed is by it too', () => page.url().includes('2026-05-04T11'))
})
