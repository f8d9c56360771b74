import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** The few files that run once which fail for many kinds of changes: those of the surfaces, and those that take less than a second. */
const once =
  '(api-documents|architecture|architecture-writers|config|mcp|narrow-places|negotiation|plugins|rest-http|unread-inputs)';

/** Tests that try every operation, connection or field for a rule that a change of one of them rarely breaks. */
const walks = [
  'test/surfaces/{counts.shared,idempotency.shared,narrow-reads,rest-equals-graphql-changes.shared,rights.shared}.test.ts',
];

/** Tests that generate cases, race, wait or count, and those of a concept that cost most while others of it remain. */
const costly = [
  'test/api/access-token/{accepted-tokens,deprecated-uses}.test.ts',
  'test/api/app-store/{app-store,blocks.shared,faults,kills,merge.shared,publish-application,rollback}.test.ts',
  'test/api/application/tree.shared.test.ts',
  'test/api/certificate/certificate.test.ts',
  'test/api/component/{delete-races,images.shared,snapshot-schedules,snapshots.shared}.test.ts',
  'test/api/gateway-rule/{gateway-rule,issued-certificates.shared}.test.ts',
  'test/api/job/{many.shared,retention}.test.ts',
  'test/api/manifest/{properties,statements.shared,templates.shared}.test.ts',
  'test/api/region/kubernetes/*.test.ts',
  'test/api/registry-credential/registry-credential.test.ts',
  'test/api/run/{kubernetes,logs.shared,schedules}.test.ts',
  'test/api/team/group-roles.test.ts',
  'test/api/webhook/{delivery-order,webhook}.test.ts',
];

/**
 * What a change breaks first, in under a minute on two cores, which is about a hundred CPU seconds: at least one file of each
 * concept on SQLite, without fuzzing, races, clusters, long waits, browsers and processes.
 */
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
            `**/!${once}.once.test.ts`,
            '**/*.long.test.ts',
            '**/*.long.once.test.ts',
            ...walks,
            ...costly,
          ],
          env: { TEST_DATABASE: 'sqlite' },
        },
      },
    ],
  },
});
