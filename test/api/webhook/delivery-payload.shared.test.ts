import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  deliveriesOf,
  finishedDeliveries,
  hastyDeliveries,
  insertDeliveries,
  insertWebhook,
} from '../../support/deliveries.ts';
import { unique } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';
import { accept, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { createAccount } from '../../support/webhooks.ts';

let receiver: WebhookReceiver;
const trellis = useTrellis({ webhooks: hastyDeliveries });
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());
afterEach(() => {
  receiver.handler = accept;
});

const document =
  'query ($event: ID!, $text: String!) { node(id: $event) { id } echo: __type(name: $text) { name } }';

/** A webhook of a new team. */
async function newWebhook(values: object = {}) {
  const { teamId } = await trellis.createTeam();
  const url = `${receiver.url}/${unique('hook')}`;
  return insertWebhook(trellis, { teamId, url, events: '["port.*"]', ...values });
}

/** A webhook of a new team that sends the result of a document, with the rights of a service account of this role. */
async function newDocumentWebhook(role = 'VIEWER') {
  const webhook = await newWebhook();
  const { serviceAccountId } = await createAccount(trellis, webhook.teamId, role);
  const columns = { document, variables: '{"text":"Port"}', serviceAccountId };
  await trellis.services.db.transaction((tx) =>
    tx.webhook.update({ where: { id: webhook.id }, data: columns }),
  );
  return { ...webhook, serviceAccountId };
}

/** The bodies that were sent with the message of a delivery, in their order. */
const bodiesOf = ({ messageId }: { messageId: string }) =>
  receiver.messages.filter(({ headers }) => headers['webhook-id'] === messageId).map(({ body }) => body);

async function send(webhook: { id: string; teamId: string }) {
  await insertDeliveries(trellis, webhook, ['Port/3']);
  const [delivery] = await finishedDeliveries(trellis, webhook);
  return delivery!;
}

/** The payloads of a webhook's deliveries, as a caller reads them. */
async function payloadsOf(webhook: { id: string }, token?: string): Promise<(string | null)[]> {
  const { webhook: found } = await trellis.data(
    'query ($by: WebhookRef!) { webhook(by: $by) { deliveries { nodes { payload } } } }',
    { by: { webhookId: webhook.id } },
    token,
  );
  return found.deliveries.nodes.map(({ payload }: { payload: string | null }) => payload);
}

/** The token of a new member of a team. */
async function newMember(teamId: string, input: object): Promise<string> {
  const { userId, token } = await trellis.createPerson();
  await trellis.succeed('addTeamMember', { team: { teamId }, user: { userId }, ...input }, '__typename');
  return token;
}

/** The token of a new member of a team whose role has these actions alone. */
async function newMemberWith(teamId: string, actions: string[]): Promise<string> {
  const { role } = await trellis.succeed(
    'createRole',
    { name: unique('role'), actions },
    'role { roleId: uid }',
  );
  return newMember(teamId, { customRole: role });
}

describe('the payload of a delivery', () => {
  it('is the body that was sent', async () => {
    const webhook = await newWebhook();
    const delivery = await send(webhook);
    expect(await payloadsOf(webhook)).toEqual(bodiesOf(delivery));
    const [payload] = await payloadsOf(webhook);
    expect(JSON.parse(payload!)).toMatchObject({ type: 'port.add', data: { subjectId: '3' } });
  });

  it('has the result of a document', async () => {
    const webhook = await newDocumentWebhook();
    const delivery = await send(webhook);
    expect(await payloadsOf(webhook)).toEqual(bodiesOf(delivery));
    const [payload] = await payloadsOf(webhook);
    expect(JSON.parse(payload!).data).toMatchObject({ node: {}, echo: { name: 'Port' } });
  });

  it('is null before the first attempt, and if the message could not be created', async () => {
    const webhook = await newWebhook();
    await insertDeliveries(trellis, webhook, ['Port/3'], { nextAttemptAt: new Date(Date.now() + 3_600_000) });
    await insertDeliveries(trellis, webhook, ['Port/4'], { eventId: -1 });
    const failed = async () => (await deliveriesOf(trellis, webhook))[1]!.error;
    await expect.poll(failed, { timeout: 60_000 }).toBe('The event is no longer in the record.');
    expect(await payloadsOf(webhook)).toEqual([null, null]);
  });

  it('is that of the last attempt, and is there if nothing was answered', async () => {
    const webhook = await newWebhook();
    let attempts = 0;
    receiver.handler = (message, response) => {
      if (++attempts > 1) return accept(message, response);
      // The next attempt sends something else.
      const changed = trellis.services.db.transaction((tx) =>
        tx.webhook.update({ where: { id: webhook.id }, data: { document } }),
      );
      void changed.finally(() => response.destroy());
    };
    const delivery = await send(webhook);
    const [first, second] = bodiesOf(delivery);
    expect(first).not.toBe(second);
    expect(await payloadsOf(webhook)).toEqual([second]);

    const unreachable = await newWebhook({ url: 'http://127.0.0.1:1/' });
    await insertDeliveries(trellis, unreachable, ['Port/3']);
    const error = async () => (await deliveriesOf(trellis, unreachable))[0]!.error;
    await expect.poll(error, { timeout: 60_000 }).not.toBeNull();
    const [payload] = await payloadsOf(unreachable);
    expect(JSON.parse(payload!).type).toBe('port.add');
  });

  it('is cut after 4096 bytes, at a whole character', async () => {
    const webhook = await newWebhook();
    // At most one of the three is cut between two characters, the others within one.
    const subjects = [0, 1, 2].map((length) => `Port/${'a'.repeat(length)}${'€'.repeat(2_000)}`);
    await insertDeliveries(trellis, webhook, subjects);
    const deliveries = await finishedDeliveries(trellis, webhook);
    const expected = deliveries.map((delivery) => {
      const begin = Buffer.from(bodiesOf(delivery)[0]!).subarray(0, 4_096).toString();
      return `${begin.replace(/\uFFFD+$/, '')}…`;
    });
    expect((await payloadsOf(webhook)).reverse()).toEqual(expected);
    expect(expected.every((payload) => payload.endsWith('€…'))).toBe(true);
    expect(new Set(expected.map((payload) => Buffer.byteLength(payload))).size).toBeGreaterThan(1);
  });

  it('is encrypted at rest', async () => {
    const webhook = await newWebhook();
    const { sealedPayload, messageId } = await send(webhook);
    expect(sealedPayload).toMatch(/^v2\./);
    expect(sealedPayload).not.toContain('port.add');
    expect(trellis.services.seal.open(sealedPayload!)).toBe(bodiesOf({ messageId })[0]);
  });

  it('is null for those who cannot change the webhook', async () => {
    const webhook = await newWebhook();
    await send(webhook);
    const { teamId } = webhook;
    for (const role of ['VIEWER', 'DEVELOPER']) {
      expect([role, await payloadsOf(webhook, await newMember(teamId, { role }))]).toEqual([role, [null]]);
    }
    const readers = [
      await newMember(teamId, { role: 'ADMIN' }),
      await newMemberWith(teamId, ['UPDATE_WEBHOOK']),
    ];
    for (const token of readers) expect(await payloadsOf(webhook, token)).toEqual([expect.any(String)]);
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: unique('token'), isReadOnly: true },
      'secret',
    );
    expect(await payloadsOf(webhook, secret)).toEqual([null]);
  });

  it('is null for those without the rights that its document was executed with', async () => {
    const webhook = await newDocumentWebhook('DEVELOPER');
    await send(webhook);
    const token = await newMemberWith(webhook.teamId, ['UPDATE_WEBHOOK']);
    const admin = await newMember(webhook.teamId, { role: 'ADMIN' });
    expect(await payloadsOf(webhook, token)).toEqual([null]);
    expect(await payloadsOf(webhook, admin)).toEqual([expect.any(String)]);
    // Removing the document does not show what it sent.
    const change = { webhook: { webhookId: webhook.id }, document: null };
    await trellis.succeed('updateWebhook', change, '__typename', token);
    expect(await payloadsOf(webhook, token)).toEqual([null]);
    expect(await payloadsOf(webhook, admin)).toEqual([expect.any(String)]);
  });

  it('takes no statement of its own for each delivery, and is not read unless it is selected', async () => {
    const webhook = await newWebhook();
    await send(webhook);
    const pagesWith = async (selection: string, column: string) => {
      trellis.statements.length = 0;
      await trellis.data(
        `query ($by: WebhookRef!) { webhook(by: $by) { deliveries { nodes { ${selection} } } } }`,
        { by: { webhookId: webhook.id } },
      );
      // Not those of the worker, which have other names for the rows.
      return trellis.statements.filter((text) => text.includes(`t."${column}"`));
    };
    await send(webhook);
    const without = await pagesWith('response', 'response');
    expect(without.length).toBeGreaterThan(0);
    expect(without.join()).not.toContain('sealed_payload');
    expect(await pagesWith('payload', 'sealed_payload')).toHaveLength(without.length);
  });
});
