import { expect, test } from 'vitest'
import { begin, mayLeave, question, unsavedWorks } from './leaving.ts'

function workOf(isUnsaved: boolean) {
  const work = { isUnsaved, isForgotten: false }
  const end = begin({
    isUnsaved: () => work.isUnsaved && !work.isForgotten,
    forget: () => {
      work.isForgotten = true
    },
  })
  return { work, end }
}

test('nothing is asked while nothing is unsaved', async () => {
  const { end } = workOf(false)
  expect(await mayLeave()).toBe(true)
  end()
})

test('one question serves all that is unsaved on a page, and staying keeps it', async () => {
  const [form, zones] = [workOf(true), workOf(true)]
  const stays = mayLeave()
  question.get()?.answer(false)
  expect(await stays).toBe(false)
  expect(unsavedWorks()).toHaveLength(2)
  const leaves = mayLeave()
  question.get()?.answer(true)
  expect(await leaves).toBe(true)
  expect([form.work.isForgotten, zones.work.isForgotten]).toEqual([true, true])
  expect(await mayLeave()).toBe(true)
  form.end()
  zones.end()
})

test('a question ends with the page that it was asked for', async () => {
  const { end } = workOf(true)
  const leaves = mayLeave()
  end()
  expect(await leaves).toBe(false)
  expect(question.get()).toBe(null)
})
