import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { compiledSources } from './test/support/compiled-sources.ts';

/**
 * Every suite runs on each database, but for two kinds that a file's name tells:
 * `*.once.test.ts` does not depend on the database, or uses both by itself; `*.isolated.test.ts` needs a process of its
 * own as well.
 */
const [every, once, isolated] = ['test/**/*.test.ts', 'test/**/*.once.test.ts', 'test/**/*.isolated.test.ts'];

const suite = (database: 'sqlite' | 'postgres') => ({
  extends: true as const,
  test: {
    name: database,
    include: [every],
    exclude: [once, isolated, '**/node_modules/**'],
    env: { TEST_DATABASE: database },
  },
});

// A run in watch mode follows the sources themselves.
const isWatching = !process.argv.includes('run') && !process.env.CI;

export default defineConfig({
  plugins: isWatching ? [] : [compiledSources()],
  // The libraries load the CommonJS build of graphql; a second copy beside it would not know their types.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: ['test/support/postgres.ts'],
    reporters: ['default', './test/support/slowest.ts'],
    // graphql-js forgets the promises of a list when one of its items throws. Only the tests that compare the planned
    // executor with it execute with it.
    onUnhandledError: (error) =>
      !(
        error.name === 'GraphQLError' &&
        error.stack?.includes('/graphql/execution/execute.js') &&
        /test.unit.execut\w+\./.test(String((error as { VITEST_TEST_PATH?: string }).VITEST_TEST_PATH))
      ),
    // What is waited for can take longer than the default of a second on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // Longer than what a browser waits for, which names what was missing.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    pool: 'forks',
    // Loading the sources takes seconds: files share the processes that have done so.
    isolate: false,
    // By default two cores get one worker. Half of a test's time is spent waiting: with four workers, two cores stood
    // still for a sixth of a run.
    maxWorkers: Math.max(6, availableParallelism() - 1),
    projects: [
      { extends: true, test: { name: 'isolated', include: [isolated], isolate: true } },
      { extends: true, test: { name: 'once', include: [once], env: { TEST_DATABASE: 'sqlite' } } },
      suite('sqlite'),
      suite('postgres'),
    ],
  },
});
