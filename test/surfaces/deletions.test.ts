import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import type { Model } from '../../src/db/tables.ts';
import { insertMany } from '../../src/db/write/bulk.ts';
import { belongingTo } from '../../src/db/write/deletion.ts';
import { deletions } from '../support/deletion-bounds.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { unique } from '../support/fixtures.ts';
import { transactionsOf } from '../support/transactions.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';
import { createWebhook } from '../support/webhooks.ts';

const limited = Object.keys(deletions).filter((name) => deletions[name] === 'limited');

const trellis = useTrellis();
let changes: Record<string, ChangeCase>;
beforeAll(async () => {
  changes = await everyChange(trellis, await trellis.createAll());
});

describe('a mutation that deletes', () => {
  it('is in the list', () => {
    const names = Object.keys(schema.getMutationType()!.getFields());
    const deleting = names.filter((name) =>
      /^(delete|remove|uninstall|close\w*Region|end|revoke)/.test(name),
    );
    expect(deleting.filter((name) => !(name in deletions))).toEqual([]);
  });

  it.each(limited.filter((name) => name !== 'applyManifest'))(
    '%s is refused before its transaction',
    async (name) => {
      const strict = await startTrellis({
        database: { url: trellis.databaseUrl },
        // Below none: a trust has no tokens yet.
        limits: { changeObjects: -0.1 },
      });
      const input = await changes[name]!.input();
      for (const dryRun of [true, false]) {
        const transactions = await transactionsOf(strict, () =>
          expect(
            strict.attempt(name, { ...input, dryRun }, '__typename', trellis.adminToken),
          ).rejects.toThrow(/"code":"LIMIT_EXCEEDED"/),
        );
        expect(transactions).toEqual([]);
      }
      await strict.close();
    },
  );
});

describe('what belongs to an object', () => {
  it('follows from the data model', () => {
    const models = (model: Model) =>
      belongingTo({ model, ids: ['x'] })
        .map((each) => each.model)
        .sort();
    expect(models('Webhook')).toEqual(['WebhookDelivery']);
    expect(models('ServiceAccount')).toEqual(['AccessToken', 'DeprecatedUse', 'Trust', 'Webhook']);
    expect(models('Region')).toEqual(['Domain', 'Job', 'JobComponent', 'RegionLease']);
    expect(models('Component')).toEqual(
      expect.arrayContaining(['ComponentRun', 'HttpRule', 'Port', 'Release', 'RunLog', 'SnapshotSchedule']),
    );
  });
});

describe('what has happened to an object', () => {
  const deliveriesOf = async (teamId: string, webhookId: string, count: number) => {
    const { db } = trellis.services;
    const row = {
      ...{ webhookId, teamId, eventId: null, subject: 'Port/1', status: 'DELIVERED', attempts: 1 },
      ...{ createdAt: new Date(), nextAttemptAt: null, finishedAt: new Date() },
    };
    await db.transaction((tx) =>
      insertMany(
        { context: { db }, tx },
        'WebhookDelivery',
        Array.from({ length: count }, () => ({ ...row, messageId: unique('message') })),
      ),
    );
  };
  const left = async () => (await trellis.counts()).webhook_delivery;

  it('is deleted in batches before the object', async () => {
    const { team } = await trellis.createPlace();
    const { webhookId } = await createWebhook(trellis, team.teamId);
    await deliveriesOf(team.teamId, webhookId, 3_000);
    const transactions = await transactionsOf(trellis, () =>
      trellis.succeed('deleteWebhook', { webhook: { webhookId } }, '__typename'),
    );
    const batches = transactions.filter(([text]) => text?.startsWith('DELETE FROM "webhook_delivery"'));
    expect(batches.length).toBeGreaterThan(3);
    expect(transactions).toHaveLength(batches.length + 1);
  });

  it('stays if the deletion is refused or a dry run', async () => {
    const { team } = await trellis.createPlace();
    const { webhookId } = await createWebhook(trellis, team.teamId);
    await deliveriesOf(team.teamId, webhookId, 2_000);
    const before = await left();
    const webhook = { webhook: { webhookId } };
    expect(await trellis.attempt('deleteWebhook', { ...webhook, expectedRevision: 7 })).toMatchObject({
      code: 'CONFLICT',
    });
    await trellis.succeed('deleteWebhook', { ...webhook, dryRun: true }, '__typename');
    expect(await left()).toBe(before);
  });
});
