import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliveriesOf, finishedDeliveries, hastyDeliveries, verified } from '../../support/deliveries.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';
import { accept, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { createAccount, createWebhook } from '../../support/webhooks.ts';

let receiver: WebhookReceiver;
// Only commits wake it.
const trellis = useTrellis({ webhooks: { ...hastyDeliveries, pollMs: 3_600_000 } });
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());

const hookOf = async (teamId: string, path: string, options: object = {}) => {
  const { webhookId, secret } = await createWebhook(trellis, teamId, {
    url: `${receiver.url}${path}`,
    ...options,
  });
  return { id: webhookId, secret };
};

describe('changes', () => {
  it('are told of, with the event or with the result of the document', async () => {
    const { team, component } = await trellis.createAll();
    const { serviceAccountId } = await createAccount(trellis, team.teamId);
    const plain = await hookOf(team.teamId, '/plain');
    const shaped = await hookOf(team.teamId, '/shaped', {
      document:
        'query ($event: ID!, $first: Int) { node(id: $event) { ... on Event { objectName object { ... on Port { number component { uid ports(first: $first) { totalCount } } } } } } }',
      variables: { first: 1 },
      serviceAccount: { serviceAccountId },
    });
    const port = await trellis.addPort(component.componentId, 9090);
    await expect.poll(() => receiver.to('/plain').length + receiver.to('/shaped').length).toBe(2);
    const [message] = receiver.to('/plain');
    expect(verified(message!, plain.secret)).toMatchObject({
      type: 'port.add',
      data: { teamId: team.teamId, subjectType: 'Port', changes: { number: [null, port.number] } },
    });
    const [other] = receiver.to('/shaped');
    expect(verified(other!, shaped.secret)).toMatchObject({
      type: 'port.add',
      data: {
        node: {
          objectName: '9090',
          object: { number: 9090, component: { uid: component.componentId, ports: { totalCount: 2 } } },
        },
      },
    });
    expect(other!.payload.errors).toBeUndefined();
  });

  it('have no secrets in them', async () => {
    const { team, component } = await trellis.createAll();
    await hookOf(team.teamId, '/secrets', { events: ['*'] });
    await trellis.succeed(
      'setVariables',
      {
        component: { componentId: component.componentId },
        set: [{ name: 'DB_PASSWORD', value: 'never-sent' }],
      },
      '__typename',
    );
    const of = () =>
      receiver.to('/secrets').filter(({ payload }) => payload.type === 'component.set_variables');
    await expect.poll(() => of().length).toBe(1);
    expect(of()[0]!.body).toContain('DB_PASSWORD');
    for (const { body } of receiver.to('/secrets')) {
      expect(body).not.toContain('never-sent');
      expect(body).not.toContain('whsec_');
    }
  });
});

describe('a webhook', () => {
  it('is tested', async () => {
    const { team } = await trellis.createAll();
    const webhook = await hookOf(team.teamId, '/test');
    await trellis.succeed('testWebhook', { webhook: { webhookId: webhook.id } }, 'delivery { uid }');
    await expect.poll(() => receiver.to('/test').length).toBe(1);
    expect(verified(receiver.to('/test')[0]!, webhook.secret)).toMatchObject({ type: 'webhook.test' });
  });

  it('gets what is sent again, with the same id', async () => {
    const { team, component } = await trellis.createAll();
    const webhook = await hookOf(team.teamId, '/again');
    await trellis.addPort(component.componentId, 9091);
    const [delivery] = await finishedDeliveries(trellis, webhook);
    await trellis.succeed('redeliver', { delivery: { deliveryId: delivery!.id } }, 'delivery { uid }');
    await expect.poll(() => receiver.to('/again').length).toBe(2);
    const [first, second] = receiver.to('/again');
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.payload).toEqual(first!.payload);
  });

  it('gets at once what is sent again while an attempt is under way that fails', async () => {
    const patient = await startTrellis({ webhooks: { backoffMinMs: 3_600_000, backoffMaxMs: 3_600_000 } });
    try {
      const { team, component } = await patient.createAll();
      const held: ServerResponse[] = [];
      receiver.handler = (_, response) => void held.push(response);
      const { webhookId: id } = await createWebhook(patient, team.teamId, { url: `${receiver.url}/held` });
      await patient.addPort(component.componentId, 9092);
      await expect.poll(() => held.length).toBe(1);
      const [delivery] = await deliveriesOf(patient, { id });
      await patient.succeed('redeliver', { delivery: { deliveryId: delivery!.id } }, '__typename');
      receiver.handler = accept;
      held[0]!.writeHead(500).end();
      expect(await finishedDeliveries(patient, { id })).toMatchObject([
        { id: delivery!.id, status: 'DELIVERED', attempts: 2 },
      ]);
    } finally {
      receiver.handler = accept;
      await patient.close();
    }
  });

  it('works with both secrets after a rotation', async () => {
    const { team, component } = await trellis.createAll();
    const webhook = await hookOf(team.teamId, '/rotated');
    const { secret } = await trellis.succeed(
      'rotateWebhookSecret',
      { webhook: { webhookId: webhook.id } },
      'secret',
    );
    await trellis.addPort(component.componentId, 9092);
    await expect.poll(() => receiver.to('/rotated').length).toBe(1);
    for (const each of [webhook.secret, secret]) {
      expect(verified(receiver.to('/rotated')[0]!, each).type).toBe('port.add');
    }
  });

  it('that is gone is sent nothing, until it is switched on', async () => {
    const { team, component } = await trellis.createAll();
    const webhook = await hookOf(team.teamId, '/gone');
    receiver.handler = (_, response) => void response.writeHead(410).end();
    await trellis.addPort(component.componentId, 9093);
    await finishedDeliveries(trellis, webhook);
    receiver.handler = accept;
    const read = async () => {
      const query = 'query ($by: WebhookRef!) { webhook(by: $by) { isEnabled disabledReason } }';
      return (await trellis.data(query, { by: { webhookId: webhook.id } })).webhook;
    };
    expect(await read()).toEqual({ isEnabled: false, disabledReason: 'GONE' });
    await trellis.addPort(component.componentId, 9094);
    await trellis.succeed(
      'updateWebhook',
      { webhook: { webhookId: webhook.id }, isEnabled: true },
      'webhook { isEnabled }',
    );
    expect(await read()).toEqual({ isEnabled: true, disabledReason: null });
    await trellis.addPort(component.componentId, 9095);
    await finishedDeliveries(trellis, webhook);
    const numbers = receiver.to('/gone').map(({ payload }) => payload.data.changes.number[1]);
    expect(numbers).toEqual([9093, 9095]);
  });

  it('that is deleted is sent nothing, whatever was pending', async () => {
    const { team, component } = await trellis.createAll();
    const webhook = await hookOf(team.teamId, '/deleted');
    const held: (() => void)[] = [];
    receiver.handler = (_, response) => void held.push(() => response.writeHead(200).end());
    await trellis.addPort(component.componentId, 9096);
    await expect.poll(() => held.length).toBe(1);
    await trellis.succeed('deleteWebhook', { webhook: { webhookId: webhook.id } }, '__typename');
    receiver.handler = accept;
    for (const answer of held) answer();
    // What is sent afterwards shows that the outcome of the deleted one was no obstacle.
    await hookOf(team.teamId, '/other');
    await trellis.addPort(component.componentId, 9097);
    await expect.poll(() => receiver.to('/other').length).toBe(1);
    expect(receiver.to('/deleted')).toHaveLength(1);
  });
});
