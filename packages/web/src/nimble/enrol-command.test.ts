import { expect, test } from 'vitest'
import { enrolCommand } from './enrol-command.ts'

const command = (address: string) => `npm run nimble -- enrol ${address} token`

test('a command names an address that another machine reaches, or it is said that none does', () => {
  const here = command('http://127.0.0.1:8080')
  expect(enrolCommand(here, 'http://localhost:8080')).toEqual({ command: here, isHereOnly: true })
  expect(enrolCommand(here, 'http://[::1]:8080')).toEqual({ command: here, isHereOnly: true })
  expect(enrolCommand(here, 'https://portal.lan')).toEqual({
    command: command('https://portal.lan'),
    isHereOnly: false,
  })
  // What the portal was told to be is what it is.
  const told = command('https://sightline.example.org')
  expect(enrolCommand(told, 'https://portal.lan')).toEqual({ command: told, isHereOnly: false })
})
