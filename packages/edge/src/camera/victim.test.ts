import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { offerAsVictim } from './victim.ts'

function scoreFile(inherited: number) {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-score-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'oom_score_adj')
  writeFileSync(file, `${inherited}\n`)
  return file
}

test.each([
  ['an ordinary process', 0, 500],
  ['one that the system spares', -900, -400],
  ['one that is near the top', 800, 1000],
  ['one of Kubernetes without promises', 1000, 1000],
])(
  'a camera is taken before its parent, as far as there is room, and its score never falls: %s',
  (_, inherited, score) => {
    const told: string[] = []
    const file = scoreFile(inherited)
    offerAsVictim((sentence) => told.push(sentence), file)
    expect([Number(readFileSync(file, 'utf8')), told]).toEqual([score, []])
  },
)

test('where it cannot be told, that is said and the camera goes on', () => {
  const told: string[] = []
  offerAsVictim((sentence) => told.push(sentence), join(tmpdir(), 'sightline-no-such-folder', 'oom_score_adj'))
  expect(told).toEqual([expect.stringContaining('ENOENT')])
})
