import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveryRetention } from '../../../src/domain/webhook/delivery/retention-operations.ts';
import {
  deliveriesOf,
  finishedDeliveries,
  hastyDeliveries,
  insertDeliveries,
  insertWebhook,
  webhookRow,
} from '../../support/deliveries.ts';
import { useTrellis } from '../../support/trellis.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

/** In place of three days. */
const giveUpMs = 3_000;

let receiver: WebhookReceiver;
const trellis = useTrellis({ webhooks: { ...hastyDeliveries, giveUpMs } });
beforeAll(async () => {
  receiver = await startReceiver((_, response) => void response.writeHead(503).end('busy'));
});
afterAll(() => receiver?.close());

describe('a webhook that fails', () => {
  it('for all of the time is switched off, and its team is told', async () => {
    const { teamId } = await trellis.createTeam();
    const webhook = await insertWebhook(trellis, { teamId, url: receiver.url });
    await insertDeliveries(trellis, webhook, ['Port/3', 'Port/3', 'Port/4']);
    const [first, second, third] = await finishedDeliveries(trellis, webhook);
    expect(first).toMatchObject({ status: 'FAILED', responseCode: 503, response: 'busy' });
    expect(first!.finishedAt!.getTime() - first!.createdAt.getTime()).toBeGreaterThanOrEqual(giveUpMs);
    expect(second!.status).toBe('FAILED');
    expect(third!.status).toBe('FAILED');
    // The first attempt can have been late, so that the webhook has failed for less time than the delivery.
    const isEnabled = async () => {
      const row = await webhookRow(trellis, webhook);
      if (row.isEnabled) await insertDeliveries(trellis, webhook, ['Port/5']);
      return row.isEnabled;
    };
    await expect.poll(isEnabled, { timeout: 60_000, interval: 500 }).toBe(false);
    expect((await webhookRow(trellis, webhook)).disabledReason).toBe('FAILED');
    const events = await trellis.services.db.transaction((tx) =>
      tx.event.findMany({ where: { teamId, action: 'webhook.disable' } }),
    );
    expect(events).toMatchObject([{ subjectType: 'Webhook', subjectId: webhook.id, userId: null }]);
  });

  it('again after it worked has to fail for all of the time', async () => {
    const { teamId } = await trellis.createTeam();
    const mixed = await startReceiver(
      ({ payload }, response) => void response.writeHead(payload.data.subjectId === '3' ? 500 : 200).end(),
    );
    const long = new Date(Date.now() - 2 * giveUpMs);
    const webhook = await insertWebhook(trellis, { teamId, url: mixed.url, failingSince: long });
    await insertDeliveries(trellis, webhook, ['Port/4']);
    await finishedDeliveries(trellis, webhook);
    expect((await webhookRow(trellis, webhook)).failingSince).toBeNull();
    await insertDeliveries(trellis, webhook, ['Port/3'], { createdAt: long });
    const [, failed] = await finishedDeliveries(trellis, webhook);
    expect(failed).toMatchObject({ status: 'FAILED', responseCode: 500, attempts: 1 });
    expect(await webhookRow(trellis, webhook)).toMatchObject({ isEnabled: true, disabledReason: null });
    await mixed.close();
  });
});

describe('the retention of deliveries', () => {
  it('deletes those that were finished long ago, and no others', async () => {
    const { teamId } = await trellis.createTeam();
    const url = receiver.url;
    const webhook = await insertWebhook(trellis, { teamId, url });
    const finished = (days: number) => ({
      status: 'DELIVERED',
      nextAttemptAt: null,
      finishedAt: new Date(Date.now() - days * 86_400_000),
    });
    const many = Array.from({ length: 60 }, (_, index) => `Port/${index}`);
    await insertDeliveries(trellis, webhook, many, finished(31));
    await insertDeliveries(trellis, webhook, ['Port/3'], finished(29));
    const later = new Date(Date.now() + 3_600_000);
    await insertDeliveries(trellis, webhook, ['Port/4'], { nextAttemptAt: later });
    trellis.statements.length = 0;
    await deliveryRetention(trellis.services).run(new AbortController().signal, new Date());
    // In batches.
    const deletes = trellis.statements.filter((text) => /^DELETE FROM .*webhook_delivery/.test(text));
    expect(deletes.length).toBeGreaterThan(3);
    const left = await deliveriesOf(trellis, webhook);
    expect(left.map(({ subject }) => subject)).toEqual(['Port/3', 'Port/4']);
  });
});
