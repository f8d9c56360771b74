import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Every suite runs on each database; what needs none, or both, runs once. */
const once = [
  'test/deploy.test.ts',
  'test/landing.test.ts',
  'test/dockerfile.test.ts',
  'test/production.test.ts',
  'test/readme.test.ts',
  'test/lint.test.ts',
  'test/migrate.test.ts',
  'test/house.test.ts',
  'test/config.test.ts',
  'test/execute-cases.test.ts',
  'test/execute-turns.test.ts',
  'test/kept.test.ts',
  'test/memory.test.ts',
  'test/overload.test.ts',
  'test/app-store-client.test.ts',
  'test/app-template.test.ts',
  'test/rest-document.test.ts',
  'test/rest-docs.test.ts',
];

const suite = (database: 'sqlite' | 'postgres') => ({
  extends: true as const,
  test: {
    name: database,
    include: ['test/**/*.test.ts'],
    exclude: [...once, '**/node_modules/**'],
    env: { TEST_DATABASE: database },
  },
});

export default defineConfig({
  // The libraries load the CommonJS build of graphql; a second copy beside it would not know their types.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: ['test/support/postgres.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // By default two cores get one worker, and much of a test's time is spent waiting.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [{ extends: true, test: { name: 'once', include: once } }, suite('sqlite'), suite('postgres')],
  },
});
