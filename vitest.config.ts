import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.mts'],
    // A test may start Claude Code, or compile the documents' examples.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['ts/**/*.mts', 'dist/*.mjs', 'dist/status/*.mjs'],
      reporter: ['text-summary', 'text'],
    },
  },
})
