import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Every suite runs on each database; what needs none, or both, runs once. */
const once = [
  'test/process/deploy.test.ts',
  'test/surfaces/landing.test.ts',
  'test/process/dockerfile.test.ts',
  'test/process/production.test.ts',
  'test/process/readme.test.ts',
  'test/surfaces/lint.test.ts',
  'test/process/migrate.test.ts',
  'test/unit/api-documents.test.ts',
  'test/unit/architecture.test.ts',
  'test/unit/config.test.ts',
  'test/unit/execute-cases.test.ts',
  'test/unit/execute-turns.test.ts',
  'test/unit/kept.test.ts',
  'test/robustness/memory.test.ts',
  'test/robustness/overload.test.ts',
  'test/api/app-store/client.test.ts',
  'test/unit/app-template.test.ts',
  'test/surfaces/rest-document.test.ts',
  'test/surfaces/rest-docs.test.ts',
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
