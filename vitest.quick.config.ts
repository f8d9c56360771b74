import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** What a change breaks first, in under a minute: on SQLite, without fuzzing, races, clusters, long waits, browsers and processes. */
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
            '**/!(access|columns|mcp|narrow-places|narrow-tokens|negotiation|operations|plugins|rest-http).once.test.ts',
            '**/*.long.test.ts',
            '**/*.long.once.test.ts',
            'test/api/access-token/accepted-tokens.test.ts',
            'test/api/app-store/{blocks,faults,rollback}.test.ts',
            'test/api/component/delete-races.test.ts',
            'test/api/region/kubernetes-*.test.ts',
            'test/surfaces/{rest-equals-*,rest-equals-graphql}.test.ts',
          ],
          env: { TEST_DATABASE: 'sqlite' },
        },
      },
    ],
  },
});
