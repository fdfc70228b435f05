/** An analytic's life on the screens: attached, calibrated, counting, changed, diagnosed, broken and removed. */
import type { Channel, Device, Job, Pipeline, User } from '@sightline/contract'
import { localNimbleId } from '@sightline/domain'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { axeFaults } from './browser.ts'
import { focus, press, write } from './keyboard.ts'
import { addPerson, attach, prepareCamera, registerFirst, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage, shots } from './stage.ts'

let prepared: Awaited<ReturnType<typeof prepareCamera>>

const stage = createStage(async (product) => {
  await registerFirst(product)
  prepared = await prepareCamera(product)
})

const corners: [number, number][] = [
  [0, 0],
  [0.2, 0],
  [0, 0.2],
]

/** Keys, one after the other: `Shift+ArrowLeft*4 Space`. */
async function keys(page: Page, text: string): Promise<void> {
  for (const part of text.split(' ')) {
    const [key = '', times = '1'] = part.split('*')
    for (let i = 0; i < Number(times); i++) await page.keyboard.press(key)
  }
}

/** Every corner of the whole picture is a handle that is on top of all else, also where it lies beyond the picture. */
async function gripsCorners(page: Page): Promise<void> {
  const covered = await page.getByRole('button', { name: /^zone1, point \d/ }).evaluateAll((handles) =>
    handles.flatMap((handle) => {
      const { left, right, top, bottom } = handle.getBoundingClientRect()
      const within = [left + 5, (left + right) / 2, right - 5].flatMap((x) =>
        [top + 5, (top + bottom) / 2, bottom - 5].map((y) => document.elementFromPoint(x, y)),
      )
      return within.every((found) => found === handle) ? [] : [handle.getAttribute('aria-label')]
    }),
  )
  expect(covered).toEqual([])
}

test('what is chosen in the first run for its first analytic is still chosen after a reload, until it is attached', async () => {
  const { root, sid } = prepared
  const { device_id } = (await root.call('device', 'create', {
    ...{ device_name: 'Attic', site_id: sid, nimble_id: localNimbleId },
    stream_address: 'rtsp://192.0.2.60/attic',
  })) as Device
  await root.call('user', 'configUpdate', { ui_config: { language: 'fr', dark: true } })
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844 })
  await page.goto(`${stage.product.origin}/onboarding?step=analytic`)
  await page.getByRole('combobox', { name: 'Caméra' }).click()
  await page.getByRole('option', { name: 'Attic' }).click()
  await page.getByRole('radio', { name: /Occupation/ }).click()
  const down = page.getByRole('radio', { name: /haut en bas|verticale/ })
  await down.focus()
  await page.keyboard.press('Space')
  await page.reload()
  await page.getByRole('heading', { name: /Attic/ }).waitFor()
  expect(await page.getByRole('radio', { name: /Occupation/ }).isChecked()).toBe(true)
  expect(await down.isChecked()).toBe(true)
  expect(await axeFaults(page)).toEqual([])
  await page.screenshot({ path: `${shots}first-analytic-390.png`, fullPage: true })
  await page.close()
  await root.call('user', 'configUpdate', { ui_config: { language: 'en', dark: false } })
  await root.call('device', 'delete', { device_id })
})

test('distances are attached, calibrated and counted by keyboard, a zone is moved, a dead camera is found, and the analytic removed', async () => {
  const { root, did, camera } = prepared
  // The news that the analytic is gone may come before its page is left, which then looks once more.
  const expected = [/404 .*\/channel\//, /status of 404/]
  const page = await stage.as(usernameOf('super_admin'), { expected })
  await page.goto(`${stage.product.origin}/channel/add?did=${did}`)
  await focus(page, /People counting/)
  await page.getByRole('radio', { name: /Physical distancing/ }).focus()
  await page.keyboard.press('Space')
  await press(page, /^\W*Continue/)

  await press(page, /Set distances/)
  await keys(page, 'Shift+ArrowLeft*4 Shift+ArrowDown*8 Space Shift+ArrowRight*8 Space')
  await keys(page, 'Shift+ArrowUp*8 Shift+ArrowLeft*2 Space Shift+ArrowLeft*4 Space')
  // How large it is nobody guesses.
  await press(page, /^\W*Continue/)
  await page.getByRole('alert').getByText('Say how long both sides of the floor are, in metres').waitFor()
  await page.getByRole('textbox', { name: 'From corner 1 to 2' }).fill('2')
  await page.getByRole('textbox', { name: 'From corner 2 to 3' }).fill('2')
  await page.getByText('Floor 2 × 2 m').waitFor()
  expect(await axeFaults(page)).toEqual([])
  await press(page, /^\W*Continue/)
  await page.getByRole('heading', { name: 'Tune' }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await press(page, /^\W*Continue/)
  await press(page, /^\W*Attach$/)

  await page.waitForURL(/\/channel\/detail/)
  const [channel] = (await root.call('channel', 'mine', {})) as [Channel]
  await page.getByTestId('levels').waitFor()
  expect(await page.getByTestId('levels').textContent()).toMatch(/Total \d+( |$)/)
  const { pipeline_elements } = (await root.call('pipeline', 'get', { pipeline_id: channel.pipeline_id })) as {
    pipeline_elements: Record<string, unknown>
  }
  expect(pipeline_elements['calibration.image_points']).toBe('0.3,0.9 0.7,0.9 0.6,0.5 0.4,0.5')

  await press(page, /Zones and settings/)
  await page.getByRole('button', { name: /zone1.*4 points/ }).click()
  await gripsCorners(page)
  await press(page, /zone1, point 1:/)
  await keys(page, 'ArrowRight*3 Insert')
  await page.getByRole('button', { name: /zone1.*5 points/ }).waitFor()
  // What was drawn is not lost by a step aside: another tab, the way back of the browser.
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.evaluate(() => history.back())
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('tab', { name: 'Zones' }).click()
  await page.getByRole('button', { name: /zone1.*5 points/ }).waitFor()
  await press(page, /Save changes/)
  await page.waitForURL(/\/channel\/detail/)
  const [changed] = (await root.call('channel', 'mine', {})) as [Channel]
  expect(changed.zones[0]).toMatchObject({ name: 'zone1', static_id: channel.zones[0]?.static_id })
  expect(changed.zones[0]?.points.slice(0, 2)).toEqual([
    [0.03, 0],
    [0.515, 0],
  ])

  await press(page, /Diagnose/)
  await page.getByRole('heading', { name: 'Camera', exact: true }).waitFor()
  await press(page, /Troubleshoot/)
  await page.getByRole('img', { name: 'Picture just taken' }).waitFor()
  await page
    .getByRole('listitem')
    .filter({ has: page.getByText('The camera sends pictures.') })
    .waitFor()
  expect(await page.getByText('Broken', { exact: true }).count()).toBe(0)
  expect(await axeFaults(page)).toEqual([])

  const { job_id } = (await root.call('channel', 'revive', { channel_id: channel.channel_id })) as { job_id: string }
  const revived = await until('it counts again', async () => {
    const job = (await root.call('job', 'get', { job_id })) as Job
    return job.state === 'completed' ? job : null
  })
  expect(revived.result).toMatchObject({ is_active: true, channel_state: 'running' })

  await root.call('channel', 'update', { channel_id: channel.channel_id, auto_recovery: false })
  await root.call('demo', 'fault', { UUID: camera.UUID, fault: 'cut' })
  await page.getByText('Look at this step first: Camera.').waitFor()
  const { source_id, channel_id } = channel
  const outline = { points: corners, aspect_ratio: 16 / 9 }
  await root.call('static', 'create', { source_id, channel_id, kind: 'mask', label: 'Neighbour', ...outline })
  await press(page, /Force remove/)
  await page.getByRole('dialog').getByRole('button', { name: 'Force remove' }).click()
  await page.waitForURL(/\/device\/detail/)
  expect((await root.call('channel', 'mine', {})) as Channel[]).toEqual([])
  // Its mask is the camera's, and hides what it hides until somebody removes the mask itself.
  await page.getByRole('heading', { name: 'Privacy masks' }).waitFor()
  await press(page, /Remove Neighbour/)
  await page.getByRole('dialog').getByRole('button', { name: 'Remove and show what it hides' }).click()
  await page.getByRole('heading', { name: 'Privacy masks' }).waitFor({ state: 'detached' })
  expect(await root.call('static', 'list', { source_id })).toEqual([])
})

test('what was typed for one use case comes back after a reload under that use case, and under no other', async () => {
  const { did } = prepared
  const page = await stage.as(usernameOf('super_admin'))
  const add = `${stage.product.origin}/channel/add?did=${did}`
  const name = page.getByRole('textbox', { name: 'Name' })
  const toName = async () => {
    await page.getByRole('button', { name: /Name and review/ }).click()
    await name.waitFor()
  }
  await page.goto(add)
  await focus(page, /People counting/)
  await page.getByRole('radio', { name: /Occupancy/ }).press('Space')
  await page.waitForURL(/uc=pplocc/)
  await toName()
  await name.fill('Front door')
  await page.reload()
  await toName()
  expect(await name.inputValue()).toBe('Front door')

  await page.goto(`${add}&uc=intrdtec`)
  await toName()
  expect(await name.inputValue()).toBe('Intrusion')
  await page.goto(`${add}&uc=pplocc`)
  await toName()
  expect(await name.inputValue()).toBe('Front door')
  // Chosen anew in the form, it goes along and stays behind nowhere.
  await page.getByRole('button', { name: /Use case/ }).click()
  await page.getByRole('radio', { name: /Tracking/ }).press('Space')
  await page.waitForURL(/uc=ppltrk/)
  await page.goto(`${add}&uc=pplocc`)
  await toName()
  expect(await name.inputValue()).toBe('Occupancy')
})

test('occupancy begins with the clock of its site, to be chosen from a list, is attached with it, and put right by hand', async () => {
  const { root, did } = prepared
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/channel/add?did=${did}&uc=pplocc`)
  await press(page, /^\W*Continue/)
  await page.getByRole('heading', { name: 'Tune' }).waitFor()
  const zone = page.getByRole('combobox', { name: /^Time zone of the reset/ })
  expect(await zone.inputValue()).toMatch(/^Europe\/Paris \(\+/)
  await zone.fill('Toronto')
  await page
    .getByRole('option', { name: /^America\/Toronto/ })
    .first()
    .click()
  await page.getByText('1 changed').waitFor()
  await page.getByRole('button', { name: 'Back to Europe/Paris' }).click()
  await press(page, /^\W*Continue/)
  await press(page, /^\W*Attach$/)
  await page.waitForURL(/\/channel\/detail/)
  const channel_id = new URL(page.url()).searchParams.get('cid') as string
  const { pipeline_id } = (await root.call('channel', 'id', { channel_id })) as Channel
  const { pipeline_elements } = (await root.call('pipeline', 'get', { pipeline_id })) as Pipeline
  expect(pipeline_elements['analytic.timezone']).toBe('Europe/Paris')

  // The camera was cut by then.
  await root.call('demo', 'fault', { UUID: prepared.camera.UUID, fault: 'none' })
  await page.getByTestId('levels').waitFor()
  await press(page, /Set occupancy/)
  await page
    .getByRole('dialog')
    .getByText(/Counted: \d+\./)
    .waitFor()
  expect(await axeFaults(page)).toEqual([])
  await keys(page, '1 2 Enter')
  await page.getByRole('link', { name: /Occupancy set to 12/ }).waitFor()
})

test('analytics are assigned to a person and taken away; none selected is refused before anything is sent', async () => {
  const { root, did } = prepared
  const first = await attach(root, did, 'pplcnt', { channel_name: 'Doors' })
  const second = await attach(root, did, 'pplocc', { channel_name: 'Counter' })
  const { user_id } = (await addPerson(root, 'the.guard', 'viewer')) as User
  const assigned = async () => ((await root.call('user', 'id', { user_id })) as User).channel_ids.toSorted()
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/channel`)
  await page.getByRole('button', { name: 'Assign to people' }).click()
  await page.getByRole('button', { name: 'Choose people' }).click()
  await page.getByRole('alert').getByText('Select at least one channel').waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)

  // One found by its use case, the other by its name: what a filter hides by then stays chosen.
  await page.getByRole('combobox', { name: 'Use case' }).click()
  await page.getByRole('option', { name: 'Occupancy', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Doors' }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Counter' }).click()
  const filter = page.getByRole('textbox', { name: 'Filter by name or camera' })
  await filter.fill('DOORS')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('checkbox', { name: 'Counter' }).waitFor()
  await filter.fill('DOORS')
  await page.getByRole('checkbox', { name: 'Counter' }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Doors' }).click()
  await page.getByText('2 selected').waitFor()
  await page.getByRole('button', { name: 'Choose people' }).click()
  const dialog = page.getByRole('dialog', { name: 'Who sees 2 analytics' })
  await dialog.getByRole('checkbox', { name: 'Test Person' }).click()
  await dialog.getByText(/only what is assigned is left to see for: Test Person/).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Assign' }).click()
  await dialog.getByText('Assigned 2, skipped 0 that were assigned already.').waitFor()
  expect(await assigned()).toEqual([first.channel_id, second.channel_id].toSorted())

  await dialog.getByRole('checkbox', { name: 'Test Person' }).click()
  await dialog.getByText(/all of their sites are seen again by: Test Person/).waitFor()
  await dialog.getByRole('button', { name: 'Take away' }).click()
  await dialog.getByText('Took away 2, skipped 0 that were not assigned.').waitFor()
  expect(await assigned()).toEqual([])
})

test('the line that is suggested for crossings says that it is one, until it is moved', async () => {
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/channel/add?did=${prepared.did}`)
  await page.getByRole('radio', { name: /Occupancy/ }).focus()
  await page.keyboard.press('Space')
  await press(page, /^\W*Continue/)
  const hint = page.getByText('This line is only a suggestion')
  await hint.waitFor()
  await press(page, /line1, point 1:/)
  await keys(page, 'ArrowRight')
  await hint.waitFor({ state: 'detached' })
})

test('another pipeline is tried first, says what starts anew, and is applied', async () => {
  const { root, did } = prepared
  const [counter] = ((await root.call('channel', 'mine', {})) as Channel[]).filter(
    (one) => one.channel_name === 'Doors',
  )
  const third = await attach(root, did, 'pplcnt', { channel_name: 'Gate' })
  const page = await stage.as(usernameOf('super_admin'))
  await page.goto(`${stage.product.origin}/channel/detail?did=${did}&cid=${third.channel_id}&uid=${third.usecase_id}`)
  await page.getByRole('button', { name: 'Actions for Gate' }).click()
  await page.getByRole('menuitem', { name: /Refactor/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Refactor Gate' })
  await dialog.getByRole('combobox', { name: 'Pipeline' }).click()
  await page.getByRole('option', { name: 'that of Doors' }).click()
  await dialog.getByText(/1 analytic starts anew/).waitFor()
  const stored = async () =>
    ((await root.call('channel', 'id', { channel_id: third.channel_id })) as Channel).pipeline_id
  expect(await stored()).toBe(third.pipeline_id)
  expect(await axeFaults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Apply and restart' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await stored()).toBe(counter?.pipeline_id)
})

test('settings of one analytic go to others after a look at what changes in each, and why one takes nothing', async () => {
  const { root, did } = prepared
  const from = await attach(root, did, 'pplcnt', { channel_name: 'Entrance' })
  const to = await attach(root, did, 'pplcnt', { channel_name: 'Exit' })
  const set = { channel_threshold: 7, pipeline: { pipeline_elements: { 'decode.fps': 4 } } }
  await root.call('channel', 'update', { channel_id: from.channel_id, ...set })
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844 })
  await page.goto(`${stage.product.origin}/channel/detail?did=${did}&cid=${from.channel_id}&uid=${from.usecase_id}`)
  await page.getByRole('button', { name: 'Actions for Entrance' }).click()
  await page.getByRole('menuitem', { name: 'Copy settings to others…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Copy settings of Entrance' })
  await dialog.getByRole('checkbox', { name: 'Threshold' }).check()
  await dialog.getByRole('checkbox', { name: 'Tuning' }).check()
  await dialog.getByRole('combobox', { name: 'To these analytics' }).click()
  for (const name of ['Doors', 'Exit']) await page.getByRole('option', { name: `Lobby · ${name}` }).click()
  await page.keyboard.press('Escape')
  await dialog.getByText('Threshold: – → 7').waitFor()
  await dialog.getByText(/: 5 → 4$/).waitFor()
  await dialog.getByText(/Other analytics run its pipeline too/).waitFor()
  expect(await axeFaults(page)).toEqual([])
  await page.screenshot({ path: `${shots}copy-analytic-390.png` })
  const stored = async () => (await root.call('channel', 'id', { channel_id: to.channel_id })) as Channel
  expect((await stored()).channel_threshold).toBe(-1)
  await dialog.getByRole('button', { name: 'Copy to 1 analytic' }).click()
  await dialog.getByText('Copied').waitFor()
  expect((await stored()).channel_threshold).toBe(7)
})

test('a zone gets a dwell of its own by keyboard, beside the analytic’s that the others follow; who may only look reads it', async () => {
  const { root, did } = prepared
  // The camera was cut before: whether it gives a still again already does not matter here.
  const expected = [/502 .*\/channel\/ondemand/, /status of 502/]
  const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844, expected })
  const pageWidth = () => page.evaluate(() => document.documentElement.scrollWidth)
  await page.goto(`${stage.product.origin}/channel/add?did=${did}&uc=loiterdtec`)
  const dwell = page.getByRole('textbox', { name: 'How long somebody may stay' })
  // As long as the analytic says, once its settings are known.
  await page.getByPlaceholder('60\u00a0s').waitFor()
  await write(page, /How long somebody may stay/, '86401')
  await page.getByText('Between 1 and 86400').waitFor()
  await page.getByRole('button', { name: /zone1.*Time not valid/ }).waitFor()
  expect(await axeFaults(page)).toEqual([])
  expect(await pageWidth()).toBeLessThanOrEqual(390)
  await press(page, /^\W*Continue/)
  await dwell.waitFor()
  await write(page, /How long somebody may stay/, '45')
  await page.getByRole('button', { name: /zone1 4 points · 45\s+s/ }).waitFor()
  await page.screenshot({ path: `${shots}dwell-390.png`, fullPage: true })
  await press(page, /^\W*Continue/)
  await press(page, /^\W*Continue/)
  await press(page, /^\W*Attach$/)
  await page.waitForURL(/\/channel\/detail/)
  const [cid, uid] = ['cid', 'uid'].map((name) => new URL(page.url()).searchParams.get(name) as string)
  const stored = async () =>
    ((await root.call('channel', 'id', { channel_id: cid as string })) as Channel).zones.map(({ dwell_s }) => dwell_s)
  expect(await stored()).toEqual([45])

  const edit = `${stage.product.origin}/channel/edit?did=${did}&cid=${cid}&uid=${uid}`
  await page.goto(edit)
  await dwell.waitFor()
  await focus(page, /How long somebody may stay/)
  await keys(page, 'ControlOrMeta+A Delete')
  await page.getByRole('button', { name: 'zone1 4 points Complete' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  expect(await dwell.inputValue()).toBe('45\u00a0s')
  await page.getByRole('button', { name: 'Redo' }).click()
  expect(await dwell.inputValue()).toBe('')
  await page.getByRole('button', { name: 'Undo' }).click()
  await write(page, /How long somebody may stay/, '90')
  await press(page, /Save changes/)
  await page.waitForURL(/\/channel\/detail/)
  expect(await stored()).toEqual([90])

  await addPerson(root, 'the.reader', 'super_viewer')
  const reader = await stage.as('the.reader')
  await reader.goto(edit)
  await reader.getByText('zone1: 90\u00a0s').waitFor()
  const french = await stage.as('the.reader', { locale: 'fr-CA' })
  await french.goto(edit)
  await french.getByText('zone1\u00a0: 90\u00a0s').waitFor()
})

test('a rectangle is drawn by keyboard: one corner, a preview that follows, the opposite corner; Escape takes it back', async () => {
  const { root, did, camera } = prepared
  await root.call('demo', 'fault', { UUID: camera.UUID, fault: 'none' })
  const expected = [/502 .*\/channel\/ondemand/, /status of 502/]
  for (const [language, dark, words] of [
    ['en', false, ['Rectangle (R)', 'Drag from one corner', 'Move to the opposite corner', 'zone2', 'span nothing']],
    ['fr', true, ['Rectangle (R)', 'Tirez d’un coin', 'Allez au coin opposé', 'zone2', 'délimitent rien']],
  ] as const) {
    await root.call('user', 'configUpdate', { ui_config: { language, dark } })
    const page = await stage.as(usernameOf('super_admin'), { width: 390, height: 844, expected })
    await page.goto(`${stage.product.origin}/channel/add?did=${did}&uc=loiterdtec`)
    const picture = page.getByRole('application')
    await picture.focus()
    const hint = page.locator('[class*=hint][role=status]')
    const cursor = picture.locator('[class*=cursor]')
    const drawnAs = () => picture.locator('svg').locator('polygon, polyline').last().getAttribute('points')
    const corner = page.getByRole('button', { name: new RegExp(`^${words[3]}, point \\d`) })
    await keys(page, 'r')
    await cursor.waitFor()
    expect(await page.getByRole('button', { name: words[0] }).getAttribute('aria-pressed')).toBe('true')
    expect(await hint.textContent()).toContain(words[1])

    await keys(page, 'Shift+ArrowLeft*4 Shift+ArrowUp*2 ArrowUp*3 Space')
    expect(await hint.textContent()).toContain(words[2])
    await keys(page, 'Shift+ArrowRight*2 Shift+ArrowDown*4')
    expect(await drawnAs()).toBe('0.3,0.37 0.4,0.37 0.4,0.57 0.3,0.57 0.3,0.37')
    expect(await axeFaults(page)).toEqual([])
    await page.screenshot({ path: `${shots}rectangle-${language}-390.png` })
    await keys(page, 'Escape')
    await corner.first().waitFor({ state: 'detached' })
    expect(await cursor.count()).toBe(0)

    // A second press at the same place ends nothing and says so; Enter does as Space does, and one step undoes both.
    await keys(page, 'r Enter Enter')
    expect(await hint.textContent()).toContain(words[4])
    await keys(page, 'ArrowRight*5 Shift+ArrowDown*2')
    expect(await hint.textContent()).toContain(words[2])
    await keys(page, 'Enter')
    await until('it has four corners', async () => (await corner.count()) === 4)
    expect(await drawnAs()).toBe('0.4,0.57 0.45,0.57 0.45,0.67 0.4,0.67')
    await picture.focus()
    await keys(page, 'Control+z')
    await corner.first().waitFor({ state: 'detached' })
    // To choose the tool and give it up is no step: what was undone can still be done again.
    await keys(page, 'r Escape Control+y')
    await until('it is back', async () => (await corner.count()) === 4)

    // After a corner by key the pointer sets the rectangle that it showed, whatever else the keys are for.
    await keys(page, 'Control+z r Space')
    await picture.scrollIntoViewIfNeeded()
    const box = (await picture.boundingBox()) as { x: number; y: number; width: number; height: number }
    await page.keyboard.down('Shift')
    await page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.63)
    const shown = await drawnAs()
    await page.mouse.down()
    await page.mouse.up()
    await page.keyboard.up('Shift')
    await until('it has four corners', async () => (await corner.count()) === 4)
    const made = (await drawnAs()) ?? ''
    expect(shown).toBe(`${made} ${made.split(' ')[0]}`)
  }
  await root.call('user', 'configUpdate', { ui_config: { language: 'en', dark: false } })
})
