import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  finishedDeliveries,
  hastyDeliveries,
  insertDeliveries,
  insertWebhook,
} from '../../support/deliveries.ts';
import { unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
const trellis = useTrellis({ webhooks: hastyDeliveries, allowedDocuments: 'trusted' });
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());

const document = `query ($event: ID!, $name: String!) {
  node(id: $event) { ... on Event { action objectUid requestId changes { field newValue } } }
  viewer { serviceAccount { name } }
  roles: __type(name: $name) { name }
}`;

async function newAccount(role = 'VIEWER') {
  const { teamId } = await trellis.createTeam();
  const name = unique('robot');
  const { serviceAccount } = await trellis.succeed(
    'createServiceAccount',
    { team: { teamId }, name, role },
    'serviceAccount { uid }',
  );
  return { teamId, name, serviceAccountId: serviceAccount.uid as string };
}

async function payloadFor(webhook: Parameters<typeof insertWebhook>[1]) {
  const inserted = await insertWebhook(trellis, webhook);
  await insertDeliveries(trellis, inserted, ['Port/3']);
  const [delivery] = await finishedDeliveries(trellis, inserted);
  const [message] = receiver.messages.filter(({ headers }) => headers['webhook-id'] === delivery!.messageId);
  return message!.payload;
}

describe('the document of a webhook', () => {
  it('is executed with its variables and the rights of the service account', async () => {
    const { teamId, name, serviceAccountId } = await newAccount();
    const variables = JSON.stringify({ name: 'Port' });
    const payload = await payloadFor({ teamId, url: receiver.url, document, variables, serviceAccountId });
    expect(payload).toMatchObject({ type: 'port.add', timestamp: expect.any(String) });
    expect(payload.errors).toBeUndefined();
    expect(payload.data).toMatchObject({
      node: { action: 'port.add', objectUid: '3', changes: [{ field: 'number', newValue: 0 }] },
      viewer: { serviceAccount: { name } },
      roles: { name: 'Port' },
    });
  });

  it('does not see what the service account may not see', async () => {
    const { serviceAccountId } = await newAccount();
    const { teamId } = await trellis.createTeam();
    const payload = await payloadFor({
      teamId,
      url: receiver.url,
      document: 'query ($event: ID!) { node(id: $event) { id } events { nodes { id } } }',
      serviceAccountId,
    });
    expect(payload.data).toEqual({ node: null, events: null });
    expect(payload.errors).toContainEqual({
      message: 'Only enterprise administrators can read all events.',
      path: ['events'],
      code: 'FORBIDDEN',
    });
  });

  it('changes nothing', async () => {
    const { teamId, serviceAccountId } = await newAccount('ADMIN');
    const payload = await payloadFor({
      teamId,
      url: receiver.url,
      document: `mutation { createServiceAccount(input: { team: { teamId: "${teamId}" }, name: "made", role: VIEWER }) { ... on Error { message } } }`,
      serviceAccountId,
    });
    expect(JSON.stringify(payload)).toContain('read-only');
    const accounts = await trellis.services.db.transaction((tx) =>
      tx.serviceAccount.findMany({ where: { teamId } }),
    );
    expect(accounts.map(({ name }) => name)).not.toContain('made');
  });

  it('is not executed without the service account, and the receiver is told', async () => {
    const { teamId } = await trellis.createTeam();
    const payload = await payloadFor({ teamId, url: receiver.url, document, serviceAccountId: null });
    expect(payload.data).toBeNull();
    expect(payload.errors).toEqual([
      {
        message: 'The webhook has no service account with rights for the document. Set one.',
        code: 'FORBIDDEN',
      },
    ]);
  });

  it('that is not valid any more, or exceeds a limit, has errors instead of data', async () => {
    const { teamId, serviceAccountId } = await newAccount();
    const common = { teamId, url: receiver.url, serviceAccountId };
    const invalid = await payloadFor({ ...common, document: 'query ($event: ID!) { gone(id: $event) }' });
    expect(invalid.data).toBeNull();
    expect(invalid.errors[0].code).toBe('INVALID_INPUT');
    const aliases = Array.from({ length: 200 }, (_, index) => `a${index}: __schema { ...types }`);
    const large = await payloadFor({
      ...common,
      document: `{ ${aliases.join(' ')} } fragment types on __Schema { types { name description fields { name description } } }`,
    });
    expect(large.data).toBeNull();
    expect(large.errors.map(({ code }: { code: string }) => code)).toContain('LIMIT_EXCEEDED');
  });
});
