import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { compiledSources } from './test/support/compiled-sources.ts';
import { HeavyFirst } from './test/support/heavy-first.ts';

/**
 * The name of a file says where it runs. `*.once.test.ts` does not depend on the database, or uses both by itself, and
 * runs beside the files on SQLite; every other file runs on each database. `*.long.test.ts` and `*.long.once.test.ts` need
 * many seeds or minutes: `npm run test:long` runs them, and `npm test` does not. `*.shared.test.ts` sends Postgres only
 * what other files send it as well, and is not about locks, transactions or other gateways: `npm test` runs it on SQLite, and
 * `npm run test:long` on Postgres.
 */
const once = 'test/**/*.once.test.ts';
const shared = 'test/**/*.shared.test.ts';
const long = ['test/**/*.long.test.ts', 'test/**/*.long.once.test.ts'];

interface Files {
  include: string[];
  exclude: string[];
}

/** One project for each database: a worker of a project loads the sources once. */
const projects = (files: Record<'sqlite' | 'postgres', Files>): TestProjectConfiguration[] =>
  Object.entries(files).map(([database, { include, exclude }]) => ({
    extends: true as const,
    test: {
      name: database,
      include,
      exclude: [...exclude, '**/node_modules/**'],
      env: { TEST_DATABASE: database },
    },
  }));

export const longProjects = projects({
  sqlite: { include: long, exclude: [] },
  postgres: { include: [...long, shared], exclude: [once] },
});

// A run in watch mode follows the sources themselves.
const isWatching = !process.argv.includes('run') && !process.env.CI;

export default defineConfig({
  plugins: isWatching ? [] : [compiledSources()],
  // The libraries load the CommonJS build of graphql; a second copy beside it would not know their types.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: [
      'test/support/postgres.ts',
      'test/support/cores.ts',
      'test/support/chromium.ts',
      'test/support/run-folder.ts',
    ],
    setupFiles: [
      'test/support/cpu-time.ts',
      'test/support/on-failure.ts',
      'test/support/restore-deprecated.ts',
    ],
    reporters: ['default', './test/support/slowest.ts', './test/support/without-browser.ts'],
    sequence: { sequencer: HeavyFirst },
    // graphql-js forgets the promises of a list when one of its items throws. Only the tests that compare the planned
    // executor with it execute with it.
    onUnhandledError: (error) =>
      !(
        error.name === 'GraphQLError' &&
        error.stack?.includes('/graphql/execution/execute.js') &&
        /test.unit.execut\w+\./.test(String((error as { VITEST_TEST_PATH?: string }).VITEST_TEST_PATH))
      ),
    // What is waited for can take longer than the default of a second on a busy machine.
    expect: { poll: { timeout: 90_000 } },
    // Longer than what a browser waits for, which names what was missing.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    pool: 'forks',
    // Loading the sources takes seconds: files share the processes that have done so.
    isolate: false,
    // By default two cores get one worker. Half of a test's time is spent waiting: with four workers, two cores stood
    // still for a sixth of a run.
    maxWorkers: Math.max(6, availableParallelism() - 1),
    projects: projects({
      sqlite: { include: ['test/**/*.test.ts'], exclude: long },
      postgres: { include: ['test/**/*.test.ts'], exclude: [...long, once, shared] },
    }),
  },
});
