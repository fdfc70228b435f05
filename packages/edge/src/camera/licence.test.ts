import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Native libraries of a process that has loaded a module. */
function librariesWith(module: string): string[] {
  const code = `await import(${JSON.stringify(new URL(module, import.meta.url).href)})
    process.report.excludeNetwork = true
    console.log(JSON.stringify(process.report.getReport().sharedObjects))
    process.kill(process.pid, 'SIGKILL')`
  try {
    return JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', code], {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        encoding: 'utf8',
      }),
    )
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout)
  }
}
const ffmpeg = (libraries: string[]) => libraries.filter((path) => path.includes('node-av'))

test("FFmpeg's GPL binary is loaded by camera processes and by nothing else of the nimble", () => {
  expect(ffmpeg(librariesWith('../nimble.ts'))).toEqual([])
  expect(ffmpeg(librariesWith('./camera.ts'))).toEqual([])
  expect(ffmpeg(librariesWith('./decoder.ts')).length).toBe(1)
})
