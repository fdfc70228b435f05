import type { Channel, Session, Site, Source, UserInfo } from '@sightline/contract'
import { cardsOf, screensFor, usecaseKeys } from '@sightline/domain'
import { errors, type Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { signIn } from './api.ts'
import { analytics, attach, isBusy, type Prepared, password, prepare, titleOf, usernameOf } from './prepared.ts'
import { until } from './product.ts'
import { createStage } from './stage.ts'

let prepared: Prepared

const stage = createStage()

const open = (page: Page, address: string) => page.goto(stage.product.origin + address)
const isAt = (page: Page, path: string) =>
  until(`${path} shows`, async () => {
    if (new URL(page.url()).pathname !== path) throw new Error(`it is at ${page.url()}`)
    return (await titleOf(page)) !== null && !(await isBusy(page))
  })

/** The message under a field after it was filled and left is this one. */
async function complains(page: Page, label: string | RegExp, value: string, wanted: string): Promise<void> {
  const input = page.getByRole('textbox', { name: label }).first()
  await input.fill(value)
  await input.blur()
  await until(`at ${label} "${value}" is answered "${wanted}"`, async () => {
    const ids = ((await input.getAttribute('aria-describedby')) ?? '').split(' ')
    const error = ids.find((id) => id.endsWith('-error'))
    const said = error && (await page.locator(`[id="${error}"]`).textContent())
    if (said !== wanted) throw new Error(`it says ${said}`)
    return true
  })
}
const required = 'This field is required'

test('the first account: its form checks as the server does, in the words of the specification', async () => {
  // Nobody is signed in yet, which the portal's first call learns.
  const page = await stage.as(null, { expected: [/401 .*\/user\/info|status of 401/] })
  await page.goto(stage.product.firstAddress)
  await page.getByRole('button', { name: 'Create account' }).waitFor()
  const refused: [string | RegExp, string, string][] = [
    ['First name', '', required],
    ['First name', 'A', 'At least 2 characters'],
    ['First name', ' Ada', 'No space at the start'],
    ['Last name', '<b>', 'Letters, digits, space, hyphen, underscore, apostrophe and full stop only'],
    ['E-mail', 'ada@', 'Enter a valid e-mail address'],
    ['User name', 'ada.m', 'At least 6 characters'],
    [/^Password(?! again)/, 'Abcdefg1', 'At least 8 characters, with a special character and a number'],
    [/^Password again/, 'Abcdefg2', 'Password do not match'],
  ]
  for (const [label, value, message] of refused) await complains(page, label, value, message)
  // Sent all the same, the form as a whole says so too, and the keyboard stands at the first wrong field.
  const whole = page.getByRole('alert').filter({ hasText: 'Error in inputs' })
  expect(await whole.count()).toBe(0)
  await page.getByRole('button', { name: 'Create account' }).click()
  await whole.waitFor()
  await until('the first wrong field has the focus', () =>
    page.evaluate(() => document.activeElement?.getAttribute('autocomplete') === 'given-name'),
  )
  const good: [string | RegExp, string][] = [
    ['First name', 'Ada'],
    ['Last name', "O'Neil Jr."],
    ['E-mail', 'ada@example.org'],
    ['User name', usernameOf('super_admin')],
    [/^Password(?! again)/, password],
    [/^Password again/, password],
  ]
  for (const [label, value] of good) await page.getByRole('textbox', { name: label }).first().fill(value)
  expect(await whole.count()).toBe(0)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(/\/onboarding/)
  prepared = await prepare(stage.product)
})

test('forms of edge server, customer, person and analytic check as the server does', async () => {
  const { cuid, did, cid, uid } = prepared.ids
  const page = await stage.as(usernameOf('super_admin'))
  const refused: [address: string, fields: [string | RegExp, string, string][]][] = [
    [
      '/configuration/add',
      [
        ['Name', '', required],
        ['Name', 'Rack <1>', 'Letters, digits, space, hyphen and underscore only'],
        [/^Address/, 'not a host', 'Enter a valid host name or IP address'],
        ['Port', '70000', 'Enter a valid port'],
        [/^Connection timeout/, '59', 'Between 60 and 300'],
        [/^Connection timeout/, '301', 'Between 60 and 300'],
        [/^Wait between tries/, '0', 'Must be greater than 0'],
        [/^Wait between tries/, '0.5', 'Whole number, no decimals'],
        [/^Wait between tries/, '10001', 'Between 0 and 10000'],
      ],
    ],
    [`/customer/edit?cuid=${cuid}`, [['Zip code', '!', 'Enter a valid zip code']]],
    ['/user/profile', [['Phone', '0612', 'Enter a valid phone number']]],
    [`/channel/edit?did=${did}&cid=${cid}&uid=${uid}`, [[/^In violation from/, '0', 'From 1, or -1 to disable']]],
  ]
  for (const [address, fields] of refused) {
    await open(page, address)
    await isAt(page, new URL(address, stage.product.origin).pathname)
    if (address.startsWith('/channel')) await page.getByRole('tab', { name: 'Settings' }).click()
    for (const [label, value, message] of fields) await complains(page, label, value, message)
  }
})

test('a picture of a site is a picture under 2 MB: a large photo is made smaller before it is sent', async () => {
  const page = await stage.as(usernameOf('admin'))
  await open(page, `/site/edit?sid=${prepared.ids.sid}`)
  await isAt(page, '/site/edit')
  const give = (name: string, mimeType: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
  const refused = page.getByText('This is not a JPEG, PNG or WebP image')
  await give('notes.txt', 'text/plain', Buffer.alloc(10))
  await refused.waitFor()
  // As large as a phone's: noise, which nothing makes smaller but fewer points.
  const noise = await page.evaluate(() => {
    const canvas = new OffscreenCanvas(1800, 1200)
    const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D
    const picture = pen.createImageData(canvas.width, canvas.height)
    for (let i = 0; i < picture.data.length; i += 65_536)
      crypto.getRandomValues(picture.data.subarray(i, Math.min(i + 65_536, picture.data.length)))
    for (let i = 3; i < picture.data.length; i += 4) picture.data[i] = 255
    pen.putImageData(picture, 0, 0)
    return canvas.convertToBlob({ type: 'image/png' }).then(
      (blob) =>
        new Promise<string>((resolve) => {
          const reader = new FileReader()
          reader.onload = () => resolve((reader.result as string).split(',')[1] as string)
          reader.readAsDataURL(blob)
        }),
    )
  })
  const photo = Buffer.from(noise, 'base64')
  expect(photo.length).toBeGreaterThan(2 * 1024 * 1024)
  const sent = page.waitForResponse(/\/upload/)
  await give('photo.png', 'image/png', photo)
  expect((await sent).status()).toBeLessThan(300)
  await page.getByRole('button', { name: 'Remove image' }).waitFor()
  expect(await refused.count()).toBe(0)
})

test('an analytic without a zone is not saved, and says what is missing', async () => {
  const page = await stage.as(usernameOf('admin'))
  await open(page, `/channel/add?did=${prepared.ids.did}&uc=pplcnt`)
  await isAt(page, '/channel/add')
  await page.getByRole('button', { name: 'Delete shape' }).first().click()
  await page
    .getByRole('button', { name: /^(Continue|Next)/ })
    .first()
    .click()
  await page.getByText('Draw at least one zone').first().waitFor()
})

test('a stream name is edited without its prefix, and keeps it', async () => {
  const { did, cid, uid } = prepared.ids
  const page = await stage.as(usernameOf('admin'))
  await open(page, `/channel/edit?did=${did}&cid=${cid}&uid=${uid}`)
  await isAt(page, '/channel/edit')
  await page.getByRole('tab', { name: 'Settings' }).click()
  const name = page.getByRole('textbox', { name: 'Stream name at the edge server' })
  expect(await name.inputValue()).toBe('at-pplcnt')
  await name.fill('north-door')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.waitForURL(/\/channel\/detail/)
  const { channel_sid } = (await prepared.root.call('channel', 'id', { channel_id: cid })) as Channel
  expect(channel_sid).toBe('channel/north-door')
})

test('the error pages have their fixed words and their two ways out, and no shell', async () => {
  const page = await stage.as(usernameOf('viewer'))
  const pages: [string, string, RegExp][] = [
    ['/500?code=503&msg=The%20disk%20is%20full', 'Oops -- Something went wrong !!', /503.*The disk is full/],
    ['/404', 'Whoops, 404 The page you were looking for does not exist', /404/],
    ['/400', 'Woow -- Bad request !!', /400/],
  ]
  for (const [address, heading, text] of pages) {
    await open(page, address)
    await until(address, async () => (await titleOf(page)) === heading)
    expect(await page.locator('main').textContent()).toMatch(text)
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.getByRole('link', { name: 'Get Support' }).click()
    await isAt(page, '/support')
    await open(page, address)
    await page.getByRole('link', { name: 'Get me out of here!' }).click()
    await isAt(page, '/dashboard')
  }
})

test('an address that does not say what to show leads back, and says so', async () => {
  const page = await stage.as(usernameOf('admin'))
  for (const [address, back] of [
    ['/site/detail', '/site'],
    ['/site/detail?sid=half-an-id', '/site'],
  ] as const) {
    await open(page, address)
    await isAt(page, back)
    await page.getByText('This address is incomplete').first().waitFor()
  }
})

test('fixed paths stay, also with a slash at their end or a language in front; an unknown path leads to the root', async () => {
  const { sid } = prepared.ids
  const page = await stage.as(usernameOf('admin'), { expected: [/401/] })
  for (const path of ['/dashboard', '/site', '/configuration', '/support', `/site/view?sid=${sid}`]) {
    await open(page, path)
    await isAt(page, path.split('?')[0] as string)
  }
  await open(page, '/site/')
  await until('the sites show', async () => (await titleOf(page)) === 'Sites')
  for (const unknown of ['/nowhere', '/site/nowhere', '/onboarding', '/settings/smtp']) {
    await open(page, unknown)
    await isAt(page, '/dashboard')
  }
  await open(page, '/fr/dashboard/')
  await until('it is French', async () => (await titleOf(page)) === 'Tableau de bord')
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('fr')
  await open(page, '/fr/nowhere')
  await isAt(page, '/fr/dashboard')
  await open(page, '/logout')
  await until('signed out', async () => (await titleOf(page)) === 'Signed out')
  // From here on nobody is signed in, which the first call of a page learns.
  await open(page, '/dashboard')
  await isAt(page, '/login')
})

test('the first call asks who is there, with the cookie; then the module list is fetched and kept as uiModules', async () => {
  const page = await stage.as(usernameOf('viewer'))
  const calls: { path: string; cookie: string | undefined }[] = []
  page.on('request', async (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/api/')) return
    const call = { path: pathname, cookie: undefined as string | undefined }
    calls.push(call)
    call.cookie = (await request.allHeaders()).cookie
  })
  await open(page, '/site')
  await isAt(page, '/site')
  expect(calls[0]?.path).toBe('/api/v1/user/info')
  expect(calls[1]?.path).toBe('/api/v1/acl/list')
  await until('the headers of every call are known', () => calls.every(({ cookie }) => cookie !== undefined))
  for (const { path, cookie } of calls) expect([path, cookie]).toEqual([path, expect.stringContaining('sightline=')])
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('uiModules') ?? '{}'))
  expect(kept.modules).toEqual(screensFor('viewer'))
})

test('the theme is the flag of the person, on every machine', async () => {
  const caller = await signIn(stage.product.origin, usernameOf('user'), password)
  for (const dark of [true, false]) {
    await caller.call('user', 'configUpdate', { ui_config: { dark } })
    const page = await stage.as(usernameOf('user'), { dark: !dark })
    await open(page, '/dashboard')
    await isAt(page, '/dashboard')
    await until(`dark: ${dark}`, () =>
      page.evaluate((to) => document.documentElement.dataset.mantineColorScheme === to, dark ? 'dark' : 'light'),
    )
    if (dark) await page.context().close()
  }
})

test('the dashboard has the cards of the table for each use case, violations in red and the others in orange', async () => {
  const page = await stage.as(usernameOf('admin'))
  await open(page, '/dashboard')
  await isAt(page, '/dashboard')
  const wanted = usecaseKeys
    .filter((key) => analytics.some((one) => one === key))
    .flatMap((key) => cardsOf(key).map(({ label, isViolation }) => [label, isViolation ? 'red' : 'orange']))
  const shown = () =>
    page.evaluate(() => {
      // In degrees, of the last colour of a gradient; a card of none has its colour pale.
      const hueOf = (gradient: string) => {
        const [text = ''] = gradient.match(/rgb\([^)]*\)|color\(srgb [^)]*\)/g)?.slice(-1) ?? []
        const [r = 0, g = 0, b = 0] = (text.match(/[\d.]+/g) ?? []).map(Number)
        return (60 * (g - b)) / (r - Math.min(g, b))
      }
      return [...document.querySelectorAll('article[aria-label]')].flatMap((card) => {
        const { backgroundImage } = getComputedStyle(card)
        if (backgroundImage === 'none') return []
        const color = Math.abs(hueOf(backgroundImage)) < 12 ? 'red' : 'orange'
        return [[card.getAttribute('aria-label'), color]]
      })
    })
  await until('all cards show', async () => (await shown()).length >= wanted.length)
  // What must not happen and did comes first, so the order is that of the day.
  const inOrder = (cards: unknown[][]) => cards.map(String).toSorted()
  expect(inOrder(await shown())).toEqual(inOrder(wanted))
})

test('a list over several streams leaves out the empty frame check', async () => {
  const { did } = prepared.ids
  const page = await stage.as(usernameOf('admin'))
  const check = page.getByText('At emptyframecheck')
  await open(page, `/channel?did=${did}`)
  await check.first().waitFor()
  const { source_id } = (await prepared.root.call('source', 'create', {
    source_name: 'Second',
    device_id: did,
    source_address: prepared.camera.stream_address,
  })) as Source
  const { channel_id } = await attach(prepared.root, did, 'pplcnt', { channel_name: 'On the second', source_id })
  await open(page, `/channel?did=${did}`)
  await page.getByText('On the second').first().waitFor()
  expect(await page.getByText('At intrdtec').count()).toBeGreaterThan(0)
  expect(await check.count()).toBe(0)
  await prepared.root.call('channel', 'update', { channel_id, auto_recovery: false })
  await prepared.root.call('channel', 'delete', { channel_id, force: true })
})

/** What a page without a session meets, its live connection too. */
const sessionEnded = [/401/, /HTTP Authentication failed/]

/** Ends every session of a person, as an administrator can. */
async function endSessionsOf(username: string): Promise<void> {
  const { user_id } = (await (
    await signIn(stage.product.origin, username, password)
  ).call('user', 'info', {})) as UserInfo
  const sessions = (await prepared.root.call('user', 'sessions', { user_id })) as Session[]
  for (const { session_id } of sessions) await prepared.root.call('user', 'sessionRevoke', { session_id })
}

/**
 * Whoever asks the server first learns what happened meanwhile: the person by this button, or the page, which reads again
 * by itself and may take the button away. It is over either way, and presses nothing later.
 */
const pressIfThere = (page: Page, name: string) =>
  page
    .getByRole('button', { name })
    .first()
    .click({ timeout: 2000 })
    .catch((error: unknown) => {
      if (!(error instanceof errors.TimeoutError)) throw error
    })

async function signInAgain(page: Page, username: string): Promise<void> {
  await page.getByRole('textbox', { name: /^E-mail or user name/ }).fill(username)
  await page.getByRole('textbox', { name: /^Password/ }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a session that ends under a half-filled form leads to the sign-in, says so, and gives back what was typed', async () => {
  const page = await stage.as(usernameOf('admin'), { expected: sessionEnded })
  await open(page, '/site/add')
  await isAt(page, '/site/add')
  await page.getByRole('textbox', { name: 'Name' }).first().fill('Marseille Nord')
  await endSessionsOf(usernameOf('admin'))
  await pressIfThere(page, 'Create site')
  await page.waitForURL(/\/login\?next=/)
  await page.locator('[data-message=error]').first().waitFor()
  await page.getByText('Your session has ended.').waitFor()
  await page.getByText('what you had typed is kept.').waitFor()
  expect(await page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(true)
  await signInAgain(page, usernameOf('admin'))
  await isAt(page, '/site/add')
  await until('the draft is back', async () => {
    return (await page.getByRole('textbox', { name: 'Name' }).first().inputValue()) === 'Marseille Nord'
  })
})

test('cameras typed in a grid survive the end of a session, but for their passwords, as was said', async () => {
  const page = await stage.as(usernameOf('admin'), { expected: sessionEnded })
  await open(page, `/device/bulk?sid=${prepared.ids.sid}`)
  await isAt(page, '/device/bulk')
  await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('Ramp')
  await page.getByRole('textbox', { name: 'Stream address' }).first().fill('rtsp://192.0.2.20:554/one')
  await page.getByRole('textbox', { name: 'Password' }).first().fill('not to be kept')
  await endSessionsOf(usernameOf('admin'))
  await pressIfThere(page, 'Add 1 camera')
  await page.waitForURL(/\/login\?next=/)
  await page.getByText('what you had typed is kept, except passwords').waitFor()
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('not to be kept')
  await signInAgain(page, usernameOf('admin'))
  await isAt(page, '/device/bulk')
  await page.getByText('What you typed before is back.').waitFor()
  expect(await page.getByRole('textbox', { name: 'Name', exact: true }).first().inputValue()).toBe('Ramp')
  expect(await page.getByRole('textbox', { name: 'Password' }).first().inputValue()).toBe('')
  // Nobody leaves it by accident either.
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await isAt(page, '/site')
})

test('one character in any form is asked about before the page is left, and a cancelled edit never looks stored', async () => {
  const page = await stage.as(usernameOf('admin'))
  await open(page, '/user/profile?tab=password')
  await isAt(page, '/user/profile')
  await page.getByRole('textbox', { name: /^Current password/ }).fill('x')
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.getByRole('button', { name: 'Stay' }).click()
  expect(new URL(page.url()).pathname).toBe('/user/profile')
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await isAt(page, '/site')

  const { sid, did } = prepared.ids
  await open(page, `/device/detail?sid=${sid}&did=${did}&tab=stream`)
  await isAt(page, '/device/detail')
  const edit = async () => {
    await page
      .getByRole('button', { name: /^Actions for/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
  }
  const address = page.getByRole('dialog').getByRole('textbox', { name: /^Stream address/ })
  await edit()
  const stored = await address.inputValue()
  await address.fill('rtsp://192.0.2.99:554/abandoned')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await edit()
  expect(await address.inputValue()).toBe(stored)
  // Closed by accident, it is back and says so.
  await address.fill('rtsp://192.0.2.99:554/abandoned')
  await page.keyboard.press('Escape')
  await edit()
  await page.getByRole('dialog').getByText('What you typed before is back.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard it' }).click()
  expect(await address.inputValue()).toBe(stored)
})

test('what two people change at once is not undone: the later one is told, and both changes can be kept', async () => {
  const { root, ids } = prepared
  const { channel_id, usecase_id } = await attach(root, ids.did, 'pplcnt', { channel_name: 'Shared' })
  const page = await stage.as(usernameOf('admin'), { expected: [/\b412\b/] })
  await open(page, `/channel/edit?did=${ids.did}&cid=${channel_id}&uid=${usecase_id}&tab=settings`)
  await isAt(page, '/channel/edit')
  const name = page.getByRole('textbox', { name: 'Name' }).first()
  await name.fill('Mine')
  // What is wrong on a tab that is not shown is shown.
  const threshold = page.getByRole('textbox', { name: /^In violation from/ })
  await threshold.fill('0')
  await page.getByRole('tab', { name: 'Zones' }).click()
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('From 1, or -1 to disable').waitFor()
  await threshold.fill('7')

  const points: [number, number][] = [
    [0.1, 0.1],
    [0.6, 0.1],
    [0.6, 0.6],
  ]
  await root.call('channel', 'update', {
    channel_id,
    channel_name: 'Theirs',
    zones: [{ points, aspect_ratio: 16 / 9 }],
  })
  const told = page.getByRole('alert').filter({ hasText: 'Changed meanwhile' })
  await pressIfThere(page, 'Save')
  await told.waitFor()
  await page.getByRole('button', { name: 'Take theirs' }).click()
  expect([await name.inputValue(), await threshold.inputValue()]).toEqual(['Theirs', '-1'])

  await name.fill('Mine again')
  await root.call('channel', 'update', { channel_id, channel_threshold: 9 })
  await told.waitFor()
  await page.getByRole('button', { name: 'Keep mine on top' }).click()
  await page.getByRole('button', { name: 'Save' }).first().click()
  await isAt(page, '/channel/detail')
  const now = (await root.call('channel', 'usecase', { channel_id, usecase_id })) as Channel
  expect(now).toMatchObject({ channel_name: 'Mine again', channel_threshold: 9, zones: [{ points }] })
  // Its page would look once more for what goes now.
  await page.close()
  await root.call('channel', 'update', { channel_id, auto_recovery: false })
  await root.call('channel', 'delete', { channel_id, force: true })
})

test('a server that does not answer is asked again every ten seconds, and at last a reload is advised', async () => {
  const page = await stage.as(usernameOf('viewer'), { expected: [/ERR_FAILED/] })
  await page.clock.install()
  await open(page, '/support')
  await isAt(page, '/support')
  let asked = 0
  await page.route('**/api/v1/status*', (route) => {
    asked += 1
    return route.abort()
  })
  await page.clock.runFor(10_000)
  await page.getByText('The server does not answer.').waitFor()
  expect(await page.getByText(/Retrying in \d+ s/).count()).toBe(1)
  const advice = page.getByText('It still does not answer. Reload the page')
  for (let tries = 1; tries < 10 && (await advice.count()) === 0; tries++) {
    const before = asked
    await page.clock.runFor(10_000)
    await until('it was asked once more', () => asked > before)
  }
  await advice.waitFor()
  expect(asked).toBeGreaterThan(5)
  expect(await page.getByRole('button', { name: 'Reload' }).isVisible()).toBe(true)
})

test('a camera that sends H.265 is refused with a sentence that names it', async () => {
  const { camera, root, ids } = prepared
  await root.call('demo', 'fault', { UUID: camera.UUID, fault: 'h265' })
  try {
    const page = await stage.as(usernameOf('super_admin'))
    await open(page, `/device/add?sid=${ids.sid}`)
    await isAt(page, '/device/add')
    await page.getByRole('textbox', { name: /^Address/ }).fill(camera.stream_address)
    await page.getByRole('textbox', { name: 'User name' }).fill(camera.username)
    await page.getByRole('textbox', { name: /^Password/ }).fill(camera.password)
    await page.getByRole('button', { name: 'Test the camera' }).click()
    await page.getByText(/The camera sends (H\.265|HEVC|hevc)/).waitFor()
  } finally {
    // The tests after count on it.
    await root.call('demo', 'fault', { UUID: camera.UUID, fault: 'none' })
  }
})

/** Tells the page that the browser lost its network, or has it again; what is under way goes on. */
const tellNetwork = (page: Page, isOnline: boolean) =>
  page.evaluate((isOnline) => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, value: isOnline })
    dispatchEvent(new Event(isOnline ? 'online' : 'offline'))
  }, isOnline)

test('the default layout has system bar, menu, breadcrumb trail, alert banner, footer and overlay; signing out and in have none of these', async () => {
  const page = await stage.as(usernameOf('super_admin'), { expected: [/401/] })
  await open(page, `/site/detail?sid=${prepared.ids.sid}`)
  await isAt(page, '/site/detail')
  await tellNetwork(page, false)
  await page.getByText('You are offline.').waitFor()
  const seen = async (parts: Record<string, ReturnType<Page['locator']>>) => {
    for (const [name, part] of Object.entries(parts)) await until(`${name} shows`, () => part.first().isVisible())
  }
  await seen({
    'the system bar': page.getByRole('banner').getByRole('button', { name: 'Account menu' }),
    'the menu': page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' }),
    'the breadcrumb trail': page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Lyon DC'),
    'the alert banner': page.getByRole('status').filter({ hasText: 'You are offline.' }),
    'the footer': page.locator('footer').getByText(/Sightline \d/),
  })
  await tellNetwork(page, true)
  await page.keyboard.press('ControlOrMeta+K')
  await seen({ 'the overlay': page.getByRole('dialog') })
  await page.keyboard.press('Escape')

  await open(page, '/logout')
  await until('signed out', async () => (await titleOf(page)) === 'Signed out')
  const shell = page.getByRole('navigation', { name: 'Main' })
  expect(await shell.count()).toBe(0)
  await seen({ 'the way back': page.getByRole('link', { name: 'Sign in again' }) })

  await open(page, '/login')
  await isAt(page, '/login')
  expect(await shell.count()).toBe(0)
})

test('a screen that cannot load leads to another, and where that fails too the error stands there, said once', async () => {
  const page = await stage.as(usernameOf('admin'), { expected: [/500/, /The disk is full/] })
  await open(page, '/support')
  await isAt(page, '/support')
  let asked = 0
  await page.route('**/api/v1/customer/list*', (route) => {
    asked += 1
    return route.fulfill({ status: 500, json: { response_code: 500, response: null, message: 'The disk is full' } })
  })
  await open(page, '/customer')
  await page.getByText('This could not be loaded').first().waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/(site|dashboard)$/)
  expect(asked).toBeLessThan(8)
  await page.unroute('**/api/v1/customer/list*')
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByText('Lyon DC').first().waitFor()
})

test('a page whose files went with an update takes the new one: at once, or when asked to while something is typed', async () => {
  const page = await stage.as(usernameOf('admin'), {
    expected: [/404/, /did not send this part/],
  })
  await open(page, '/customer/add')
  await isAt(page, '/customer/add')
  let isOld = true
  let loads = 0
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) return
    isOld = false
    loads += 1
  })
  await page.route('**/assets/*.js', (route) => (isOld ? route.fulfill({ status: 404 }) : route.continue()))
  // What the bell opens is loaded when it is pressed for the first time.
  const bell = page.getByRole('button', { name: /^Notifications/ })
  const anew = page.waitForEvent('load')
  await bell.click()
  await anew
  expect(loads).toBe(1)
  await isAt(page, '/customer/add')

  await open(page, '/customer/add')
  const name = page.getByRole('textbox', { name: /^Customer/ }).first()
  await name.fill('Harbour')
  isOld = true
  // What cannot be loaded any more stays away, alone.
  await bell.click()
  const banner = page.getByRole('status').filter({ hasText: 'A new version is here' })
  await banner.waitFor()
  expect([loads, await name.inputValue()]).toEqual([2, 'Harbour'])
  await banner.getByRole('button', { name: 'Reload' }).click()
  await until('the newer page is there', () => loads === 3)
  await isAt(page, '/customer/add')
  expect(await name.inputValue()).toBe('Harbour')
})

test('without the network a screen that was never loaded leaves the page standing, and comes when the network is back', async () => {
  const page = await stage.as(usernameOf('admin'), {
    expected: [/ERR_INTERNET_DISCONNECTED/, /did not send this part/],
  })
  await open(page, '/support')
  await isAt(page, '/support')
  let loads = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads += 1
  })
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/'))
  await page.context().setOffline(true)
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Cameras' }).click()
  await failed
  await page.getByText('You are offline.').waitFor()
  expect([loads, await menu.isVisible()]).toEqual([0, true])
  await page.context().setOffline(false)
  await isAt(page, '/analytic')
})

test('a screen whose file does not come, on a page just loaded anew for it, says so and comes when asked for', async () => {
  const page = await stage.as(usernameOf('admin'), { expected: [/404/, /did not send this part/] })
  const sent = new Set<string>()
  page.on('request', (request) => sent.add(request.url()))
  await open(page, '/support')
  await isAt(page, '/support')
  await page.getByRole('button', { name: 'Account menu' }).waitFor()
  const had = new Set(sent)
  await page.route('**/assets/*.js', (route) =>
    had.has(route.request().url()) ? route.continue() : route.fulfill({ status: 404 }),
  )
  const anew = page.waitForEvent('load')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Edge servers' }).click()
  await anew
  const told = page.getByRole('alert').filter({ hasText: 'The server did not send this part of the portal.' })
  await told.waitFor()
  await page.unroute('**/assets/*.js')
  // Soon after it loaded itself anew the page waits for the person.
  await told.getByRole('button', { name: 'Try again' }).click()
  await isAt(page, '/configuration')
  await page.getByText('Local edge server').first().waitFor()
})

test('the state of edge servers is asked for again and again, and no sign of progress shows meanwhile', async () => {
  const page = await stage.as(usernameOf('admin'))
  await page.clock.install()
  await open(page, '/configuration')
  await isAt(page, '/configuration')
  await page.getByText('Local edge server').first().waitFor()
  let asked = 0
  const held = Promise.withResolvers<void>()
  await page.route('**/api/v1/nimble/**', async (route) => {
    asked += 1
    await held.promise
    await route.continue()
  })
  for (let seconds = 0; asked === 0 && seconds < 60; seconds += 10) await page.clock.runFor(10_000)
  await until('it was asked again', () => asked > 0)
  const signs = '[aria-busy=true], [role=progressbar], .mantine-Loader-root, [data-loading=true]'
  expect(await page.locator(signs).count()).toBe(0)
  expect(await page.getByText('Local edge server').count()).toBeGreaterThan(0)
  held.resolve()
})

test('the place of a site is set on the map or by its degrees, and each shows the other', async () => {
  const page = await stage.as(usernameOf('admin'))
  await open(page, `/site/edit?sid=${prepared.ids.sid}`)
  await isAt(page, '/site/edit')
  const degrees = (name: string) => page.getByRole('textbox', { name })
  const map = page.locator('canvas.maplibregl-canvas')
  await map.waitFor()
  expect(await page.locator('.maplibregl-marker').count()).toBe(0)
  await degrees('Latitude').fill('45.76')
  await degrees('Longitude').fill('4.84')
  await degrees('Longitude').blur()
  const pin = page.locator('.maplibregl-marker')
  await pin.waitFor()
  // The map still moves to the place that was typed.
  let before = ''
  const from = await until('the pin stands still', async () => {
    const box = await pin.boundingBox()
    const isStill = JSON.stringify(box) === before
    before = JSON.stringify(box)
    return isStill ? box : null
  })
  const [x, y] = [from.x + from.width / 2, from.y + from.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 60, y + 30, { steps: 5 })
  await page.mouse.up()
  const [lat, long] = await until('both degrees follow it', async () => {
    const place = await Promise.all(['Latitude', 'Longitude'].map((name) => degrees(name).inputValue().then(Number)))
    return place[0] !== 45.76 && place[1] !== 4.84 ? place : null
  })
  expect(lat).toBeLessThan(45.76)
  expect(long).toBeGreaterThan(4.84)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.waitForURL(/\/site\/detail/)
  const { site_address } = (await prepared.root.call('site', 'get', { site_id: prepared.ids.sid })) as Site
  expect([site_address.lat, site_address.long]).toEqual([lat, long])
})

test('the wall shows every camera with its use cases, as many in a row as one likes, and on demand only those in violation', async () => {
  const page = await stage.as(usernameOf('admin'))
  await open(page, '/dashboard')
  await isAt(page, '/dashboard')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Live cameras' }).click()
  await isAt(page, '/analytic')
  const tile = page.getByRole('region', { name: 'Cameras' }).getByRole('link', { name: /Lobby.*People counting/ })
  await tile.waitFor()
  const wide = await until('the tile has its size', async () => (await tile.boundingBox())?.width)
  await page.getByRole('radiogroup', { name: 'Cameras in a row' }).getByText('4').click()
  await until('tiles are smaller', async () => ((await tile.boundingBox())?.width ?? 0) < wide * 0.6)
  expect(new URL(page.url()).searchParams.get('cols')).toBe('4')
  await page.getByRole('switch', { name: 'Only in violation' }).click({ force: true })
  // Whoever walks through the picture is an intrusion; in between nobody is.
  await until('nobody is in violation', () => page.getByText('No camera is in violation').isVisible())
  await until('somebody is', () => tile.isVisible())
  await until('it is the one that is counted', () => page.getByText(/^1 camera · 1 in violation$/).isVisible())
})
