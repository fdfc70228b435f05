import { defineConfig } from 'vitest/config'

/** Browser tests share two cores with a whole running product: one file at a time. */
export default defineConfig({
  test: {
    include: ['e2e/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    passWithNoTests: false,
  },
})
