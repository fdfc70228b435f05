import { defineConfig } from 'vitest/config'

const common = {
  pool: 'forks' as const,
  testTimeout: 600_000,
  hookTimeout: 180_000,
  // Faults of a page whole, not their first forty characters.
  chaiConfig: { truncateThreshold: 0 },
  // Once more, and then named at the end as unsteady with its fault: to be mended, but no wall for everybody's work.
  retry: 1,
}

/**
 * Browser tests share two cores with a whole running product. Most wait half of their time, so two files run side by
 * side; the first run counts every crossing of a real camera, and has the machine to itself.
 */
export default defineConfig({
  test: {
    passWithNoTests: false,
    projects: [
      {
        test: {
          ...common,
          name: 'first run',
          include: ['e2e/first-run.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'others',
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/first-run.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
