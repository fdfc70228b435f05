/** Type-checks every package with its own rules: `domain` without Node and DOM, `web` with the DOM, the rest with Node. */
import { spawn } from 'node:child_process'

const projects = ['packages/domain', 'packages/contract', '.', 'packages/web']

const outcomes = await Promise.all(
  projects.map(
    (project) =>
      new Promise<boolean>((done) => {
        const child = spawn('node_modules/.bin/tsc', ['-p', project], { stdio: 'inherit' })
        child.on('exit', (code) => done(code === 0))
      }),
  ),
)
process.exit(outcomes.every(Boolean) ? 0 : 1)
