import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** What a change breaks first, in under a minute: on SQLite, without fuzzing, long waits, browsers and processes. */
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: ['test/{api,surfaces,unit}/**/*.test.ts'],
          exclude: [
            '**/*.{once,isolated}.test.ts',
            'test/api/access-token/accepted-tokens.test.ts',
            'test/api/app-store/{blocks,faults}.test.ts',
            'test/surfaces/{fast-lane,graphiql,rest-access,rest-equals-*,rest-equals-graphql}.test.ts',
            'test/unit/execute.test.ts',
          ],
          env: { TEST_DATABASE: 'sqlite' },
        },
      },
    ],
  },
});
