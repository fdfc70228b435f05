import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts'],
    pool: 'forks',
    // Many tests wait for real streams and clocks; three at a time keep two cores busy.
    maxWorkers: 3,
    globalSetup: ['packages/server/src/testing/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    passWithNoTests: true,
  },
})
