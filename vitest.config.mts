import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.mts'],
    // A test may start Claude Code, or forty processes.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The package is tested as it is built, through Node's own loader.
    server: { deps: { external: [/\/dist\//, /\/(index|native)\.js$/] } },
    // Threads end by themselves, so that coverage of a run is written.
    pool: 'threads',
  },
})
