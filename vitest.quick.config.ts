import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** The few files that run once which fail for many kinds of changes: those of the surfaces, and those that take less than a second. */
const once =
  '(api-documents|architecture|architecture-writers|config|mcp-conversation|negotiation|plugins|rest-http|unread-inputs)';

/** Tests that try every operation, connection or field for a rule that a change of one of them rarely breaks. */
const walks = [
  'test/surfaces/{counts.shared,dry-run-locks,idempotency.shared,narrow-reads,rest-equals-graphql-changes.shared,rights.shared}.test.ts',
];

/** Tests that generate cases, race, wait or count, and those that cost most while others of their concept remain. */
const costly = [
  'test/api/access-token/{access-token.shared,accepted-tokens,deprecated-uses}.test.ts',
  'test/api/app-store/{app-store,blocks.shared,faults,kills,merge.shared,publish-application,rollback,upgrade,versions.shared}.test.ts',
  'test/api/application/{change-limit,copy-properties.shared,copy-snapshots.shared,deploy,health.shared,names,tree.shared}.test.ts',
  'test/api/certificate/{certificate,replace}.test.ts',
  'test/api/component/{autoscaling.shared,configuration-size,crashed,delete,delete-races,gateway-names.shared,images.shared}.test.ts',
  'test/api/component/{named-fields.shared,placement.shared,snapshot-schedules,snapshots.shared,update}.test.ts',
  'test/api/deploy-hook/call.test.ts',
  'test/api/event/{record.shared,seals}.test.ts',
  'test/api/gateway-rule/{gateway-rule,issued-certificates.shared}.test.ts',
  'test/api/job/{job,many.shared,retention,worker}.test.ts',
  'test/api/manifest/{changed-meanwhile,plan-locks,properties,statements.shared,templates.shared}.test.ts',
  'test/api/member/limited-reach.shared.test.ts',
  'test/api/preview/{failures.shared,many.shared,preview,templates}.test.ts',
  'test/api/region/kubernetes/*.test.ts',
  'test/api/registry-credential/registry-credential.test.ts',
  'test/api/release/releases.test.ts',
  'test/api/run/{kubernetes,logs.shared,pre-deploy,run,schedules}.test.ts',
  'test/api/session/{backchannel-logout,recheck,session,sign-in}.test.ts',
  'test/api/team/group-roles.test.ts',
  'test/api/trust/exchange.test.ts',
  'test/api/webhook/{delivery.shared,delivery-order,webhook}.test.ts',
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
