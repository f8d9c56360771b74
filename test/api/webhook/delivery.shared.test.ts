import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  deliveriesOf,
  finishedDeliveries,
  hastyDeliveries,
  insertDeliveries,
  insertWebhook,
  newSecret,
  verified,
  webhookRow,
} from '../../support/deliveries.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';
import { accept, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
let teamId: string;
const trellis = useTrellis({ webhooks: hastyDeliveries, webhookLimits: { timeoutMs: 3_000 } });
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());
afterEach(() => {
  receiver.handler = accept;
});

let count = 0;
/** A webhook of a team of its own, at a path of its own. */
async function newWebhook(values: object = {}) {
  ({ teamId } = await trellis.createTeam());
  const path = `/hook-${++count}`;
  const webhook = await insertWebhook(trellis, { teamId, url: `${receiver.url}${path}`, ...values });
  return { ...webhook, path };
}

describe('a delivery', () => {
  it('has the event, signed as Standard Webhooks say', async () => {
    const webhook = await newWebhook();
    await insertDeliveries(trellis, webhook, ['Port/3']);
    const [delivery] = await finishedDeliveries(trellis, webhook);
    const [message, ...others] = receiver.to(webhook.path);
    expect(others).toEqual([]);
    expect(verified(message!, webhook.secret)).toEqual(message!.payload);
    expect(() => verified(message!, newSecret())).toThrow('No matching signature');
    expect(message!.headers['webhook-id']).toBe(delivery!.messageId);
    const [event] = await trellis.services.db.event.findManyByKeys({ by: 'id', keys: [delivery!.eventId!] });
    expect(message!.payload).toEqual({
      type: 'port.add',
      timestamp: event!.at.toISOString(),
      data: {
        ...event,
        at: event!.at.toISOString(),
        changes: { number: [null, 0] },
      },
    });
    expect(delivery).toMatchObject({
      status: 'DELIVERED',
      attempts: 1,
      responseCode: 204,
      response: '',
      error: null,
      nextAttemptAt: null,
      owner: null,
      heldUntil: null,
    });
    expect(delivery!.finishedAt).not.toBeNull();
    expect(delivery!.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('is signed with the secret before a rotation as well, until its time is over', async () => {
    const old = newSecret();
    const sealedOldSecret = trellis.services.seal.close(old);
    const oldSecretUntil = new Date(Date.now() + 60_000);
    const rotated = await newWebhook({ sealedOldSecret, oldSecretUntil });
    await insertDeliveries(trellis, rotated, ['Port/3']);
    await finishedDeliveries(trellis, rotated);
    const [message] = receiver.to(rotated.path);
    for (const secret of [rotated.secret, old]) expect(verified(message!, secret)).toBeDefined();

    const over = await newWebhook({ sealedOldSecret, oldSecretUntil: new Date(Date.now() - 1) });
    await insertDeliveries(trellis, over, ['Port/3']);
    await finishedDeliveries(trellis, over);
    const [later] = receiver.to(over.path);
    expect(verified(later!, over.secret)).toBeDefined();
    expect(() => verified(later!, old)).toThrow('No matching signature');
  });

  it('of a test has the webhook alone', async () => {
    const webhook = await newWebhook();
    await insertDeliveries(trellis, webhook, ['Webhook/1'], { eventId: null });
    await finishedDeliveries(trellis, webhook);
    const [message] = receiver.to(webhook.path);
    expect(message!.payload).toMatchObject({ type: 'webhook.test', data: { webhookId: webhook.id } });
  });

  it('is repeated with the same id until the receiver accepts it', async () => {
    const webhook = await newWebhook();
    let answered = 0;
    receiver.handler = (_, response) =>
      void response.writeHead([500, 301, 404, 200][answered++]!, { location: '/elsewhere' }).end('answer');
    await insertDeliveries(trellis, webhook, ['Port/3']);
    const [delivery] = await finishedDeliveries(trellis, webhook);
    expect(delivery).toMatchObject({
      status: 'DELIVERED',
      attempts: 4,
      responseCode: 200,
      response: 'answer',
    });
    const messages = receiver.to(webhook.path);
    expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(messages).toHaveLength(4);
    // The redirect was not followed.
    expect(receiver.to('/elsewhere')).toEqual([]);
    // The success ends the time for which the webhook fails.
    expect(await webhookRow(trellis, webhook)).toMatchObject({ isEnabled: true, failingSince: null });
  });

  it.each([
    ['closes the connection', 'The server cannot be reached (connection closed).'],
    ['does not answer', 'The server did not respond within 3 s.'],
  ])('fails if the receiver %s', async (how, error) => {
    const webhook = await newWebhook();
    receiver.handler = (_, response) => void (how.startsWith('closes') && response.destroy());
    await insertDeliveries(trellis, webhook, ['Port/3']);
    const attempted = async () => (await deliveriesOf(trellis, webhook))[0]!.error;
    await expect.poll(attempted, { timeout: 60_000 }).toBe(error);
    expect((await webhookRow(trellis, webhook)).failingSince).not.toBeNull();
    receiver.handler = accept;
    const [delivery] = await finishedDeliveries(trellis, webhook);
    expect(delivery).toMatchObject({ status: 'DELIVERED', responseCode: 204, error: null });
  });

  it('reads a KiB of the answer, and closes the connection', async () => {
    const webhook = await newWebhook();
    const before = receiver.bytesWritten();
    receiver.handler = (_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('é'.repeat(32_768)));
      };
      response.on('drain', more);
      more();
    };
    await insertDeliveries(trellis, webhook, ['Port/3']);
    const [delivery] = await finishedDeliveries(trellis, webhook);
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 1, responseCode: 200 });
    expect(delivery!.response).toBe('é'.repeat(512));
    // What is in buffers was sent, not all that the receiver would have.
    expect(receiver.bytesWritten() - before).toBeLessThan(10_000_000);
  });

  it('counts a status whose answer does not end', async () => {
    const webhook = await newWebhook();
    receiver.handler = (_, response) => void response.writeHead(200).write('and');
    await insertDeliveries(trellis, webhook, ['Port/3']);
    const [delivery] = await finishedDeliveries(trellis, webhook);
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 1, responseCode: 200, response: 'and' });
  });

  it('is stored with an answer that is no text', async () => {
    const webhook = await newWebhook();
    receiver.handler = (_, response) => void response.writeHead(200).end(Buffer.from([0, 0xff, 0x41]));
    await insertDeliveries(trellis, webhook, ['Port/3']);
    const [delivery] = await finishedDeliveries(trellis, webhook);
    expect(delivery).toMatchObject({ status: 'DELIVERED', response: '\ufffdA' });
  });

  it('fails if its event is no longer in the record', async () => {
    const webhook = await newWebhook();
    await insertDeliveries(trellis, webhook, ['Port/3'], { eventId: 999_999 });
    const attempted = async () => (await deliveriesOf(trellis, webhook))[0]!.error;
    await expect.poll(attempted).toBe('The event is no longer in the record.');
    expect(receiver.to(webhook.path)).toEqual([]);
  });
});

describe('a webhook', () => {
  const disabling = async () => {
    const { team } = await trellis.data(
      'query ($team: TeamRef!) { team(by: $team) { events(action: "webhook.disable") { nodes { objectType objectUid actor { __typename } changes { field oldValue newValue } } } } }',
      { team: { teamId } },
    );
    return team.events.nodes;
  };

  it('that is gone is switched off at once, and its team is told', async () => {
    const webhook = await newWebhook();
    receiver.handler = (_, response) => void response.writeHead(410).end();
    await insertDeliveries(trellis, webhook, ['Port/3', 'Port/3', 'Port/4', 'Port/5', 'Port/6']);
    const deliveries = await finishedDeliveries(trellis, webhook);
    expect(deliveries.every(({ status }) => status === 'FAILED')).toBe(true);
    expect(deliveries[0]).toMatchObject({ responseCode: 410, attempts: 1 });
    // The second of the first object was not sent any more.
    expect(deliveries[1]).toMatchObject({
      responseCode: null,
      attempts: 0,
      error: 'The webhook is switched off.',
    });
    expect(receiver.to(webhook.path).length).toBeLessThan(5);
    expect(await webhookRow(trellis, webhook)).toMatchObject({
      isEnabled: false,
      disabledReason: 'GONE',
      revision: 2,
    });
    expect(await disabling()).toEqual([
      {
        objectType: 'Webhook',
        objectUid: webhook.id,
        actor: null,
        changes: [
          { field: 'isEnabled', oldValue: true, newValue: false },
          { field: 'disabledReason', oldValue: null, newValue: 'GONE' },
        ],
      },
    ]);
  });

  it('at a private address is not sent to, unless private addresses are allowed', async () => {
    const strict = await startTrellis({ webhooks: hastyDeliveries, allowPrivateWebhooks: false });
    const team = await strict.createTeam();
    for (const url of [`${receiver.url}/private`, receiver.url.replace('127.0.0.1', 'localhost')]) {
      const webhook = await insertWebhook(strict, { teamId: team.teamId, url });
      await insertDeliveries(strict, webhook, ['Port/3']);
      const attempted = async () => (await deliveriesOf(strict, webhook))[0]!.error;
      await expect.poll(attempted).toBe('The address is not allowed.');
    }
    expect(receiver.to('/private')).toEqual([]);
    await strict.close();
  });

  it('with a certificate that nobody has signed is not sent to', async () => {
    const { issue } = await import('../../support/certificates.ts');
    const { pem, key } = await issue({ others: [{ type: 'ip', value: '127.0.0.1' }] });
    const secure = await startReceiver(accept, { key, cert: pem });
    const webhook = await newWebhook({ url: secure.url });
    await insertDeliveries(trellis, webhook, ['Port/3']);
    const attempted = async () => (await deliveriesOf(trellis, webhook))[0]!.error;
    await expect.poll(attempted).toBe('The server cannot be reached (its certificate is self-signed).');
    expect(secure.messages).toEqual([]);
    await secure.close();
  });
});
