import { beforeEach, describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { exportOf } from '../../support/sealed-record.ts';
import { useTrellis } from '../../support/trellis.ts';
import {
  createAccount,
  createOtherAccount,
  createWebhook,
  deliveriesTo,
  webhookInput,
} from '../../support/webhooks.ts';

const trellis = useTrellis();
let teamId: string;
beforeEach(async () => {
  ({ teamId } = await trellis.createTeam());
});

const fields =
  'uid url events document variables serviceAccount { uid } isEnabled disabledReason failingSince oldSecretUntil revision team { uid }';

const read = async (webhookId: string, selection = fields, token?: string) =>
  (
    await trellis.data(
      `query($by: WebhookRef!) { webhook(by: $by) { ${selection} } }`,
      { by: { webhookId } },
      token,
    )
  ).webhook;

/** The only issue of an input that is refused. */
async function issueOf(mutation: string, input: object, token?: string) {
  const result = await trellis.attempt(mutation, input, '__typename', token);
  expect(result).toMatchObject({ code: 'INVALID_INPUT' });
  expect(result.issues).toHaveLength(1);
  return result.issues[0] as { path: string[]; message: string };
}

const rowOf = async (webhookId: string) =>
  (await trellis.services.db.webhook.findManyByKeys({ by: 'id', keys: [webhookId] }))[0]!;

const document =
  'query($event: ID!, $first: Int!) { node(id: $event) { id } teams(first: $first) { totalCount } }';

describe('createWebhook', () => {
  it('creates a webhook, and shows its secret once', async () => {
    const input = webhookInput(teamId, { events: ['port.*', 'application.deploy', 'port.*'] });
    const { webhook, secret } = await trellis.succeed('createWebhook', input, `secret webhook { ${fields} }`);
    const expected = {
      uid: webhook.uid,
      url: input.url,
      events: ['port.*', 'application.deploy'],
      document: null,
      variables: null,
      serviceAccount: null,
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
      oldSecretUntil: null,
      revision: 1,
      team: { uid: teamId },
    };
    expect(webhook).toEqual(expected);
    expect(await read(webhook.uid)).toEqual(expected);
    expect(secret).toMatch(/^whsec_/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    const { sealedSecret } = await rowOf(webhook.uid);
    expect(trellis.services.seal.open(sealedSecret)).toBe(secret);
  });

  it('keeps the secret out of the record', async () => {
    const { secret } = await createWebhook(trellis, teamId);
    const query =
      'query($by: TeamRef!) { team(by: $by) { events { nodes { action changes { field newValue } } } } }';
    const { team } = await trellis.data(query, { by: { teamId } });
    const [event] = team.events.nodes;
    expect(event.action).toBe('webhook.create');
    expect(event.changes).toContainEqual({ field: 'sealedSecret', newValue: '[redacted]' });
    expect(JSON.stringify(team)).not.toContain(secret);
    const exported = await exportOf(trellis);
    expect(exported).toContain('webhook.create');
    expect(exported).not.toContain(secret);
  });

  once.each([
    [[], ['input', 'events']],
    [['job.unheard'], ['input', 'events', '0']],
    [
      ['port.add', 'por*'],
      ['input', 'events', '1'],
    ],
    [
      ['*', '*.add'],
      ['input', 'events', '1'],
    ],
    [['"*"'], ['input', 'events', '0']],
    [['webhook.test'], ['input', 'events', '0']],
    [['Port.add'], ['input', 'events', '0']],
  ])('refuses the patterns %j', async (events, path) => {
    const before = await trellis.counts();
    expect((await issueOf('createWebhook', webhookInput(teamId, { events }))).path).toEqual(path);
    expect(await trellis.counts()).toEqual(before);
  });

  once.each([
    'ftp://receiver.example/',
    'https:/receiver.example',
    'https://user:password@receiver.example/',
    'https://receiver.example/#part',
    'https://receiver example/',
    'receiver.example',
    `https://receiver.example/${'x'.repeat(2048)}`,
  ])('refuses the URL %s', async (url) => {
    expect((await issueOf('createWebhook', webhookInput(teamId, { url }))).path).toEqual(['input', 'url']);
  });

  it('accepts 20 webhooks of a team', async () => {
    for (let count = 0; count < 20; count++) await createWebhook(trellis, teamId);
    const refused = await trellis.attempt('createWebhook', webhookInput(teamId));
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('20 webhooks') });
    const query =
      'query($by: TeamRef!) { team(by: $by) { webhooks(first: 1) { totalCount nodes { uid } } } }';
    const { team } = await trellis.data(query, { by: { teamId } });
    expect(team.webhooks.totalCount).toBe(20);
  });
});

describe('a document', () => {
  it('is stored with its variables and its service account', async () => {
    const serviceAccount = await createAccount(trellis, teamId);
    const options = { document, variables: { first: 3 }, serviceAccount };
    const { webhookId } = await createWebhook(trellis, teamId, options);
    expect(await read(webhookId, 'document variables serviceAccount { serviceAccountId: uid }')).toEqual(
      options,
    );
  });

  once.each<[object, string]>([
    [{ document: 'query($event: ID!) { node(id: $event) { unheard } }' }, 'document'],
    [{ document: 'query($event: ID!) {' }, 'document'],
    [
      { document: 'mutation($event: ID!) { endSession(input: { session: { id: $event } }) { __typename } }' },
      'document',
    ],
    [{ document: 'subscription($event: ID!) { nodesChanged(ids: [$event]) { node { id } } }' }, 'document'],
    [{ document: 'query { viewer { isAdministrator } }' }, 'document'],
    [{ document: 'query($event: String!) { events(objectUid: $event) { totalCount } }' }, 'document'],
    [
      {
        document:
          'query A($event: ID!) { node(id: $event) { id } } query B($event: ID!) { node(id: $event) { id } }',
      },
      'document',
    ],
    [{ document: `query($event: ID!) { node(id: $event) { ${'id '.repeat(5_001)} } }` }, 'document'],
    [
      {
        document: `query($event: ID!) { node(id: $event) { id } ${Array.from({ length: 6 }, (_, index) => `a${index}: `).join('')} }`,
      },
      'document',
    ],
    [{ document, variables: {} }, 'variables'],
    [{ document, variables: { first: 'three' } }, 'variables'],
    [{ document, variables: { first: 3, event: 'x' } }, 'variables'],
    [{ document, variables: { first: 3, second: 4 } }, 'variables'],
    [{ document, variables: [3] }, 'variables'],
    [{ document, variables: { first: 3, text: 'x'.repeat(20_000) } }, 'variables'],
  ])('is checked: %j', async (options, field) => {
    const serviceAccount = await createAccount(trellis, teamId);
    const input = webhookInput(teamId, { serviceAccount, ...options });
    const { path } = await issueOf('createWebhook', input);
    expect(path).toEqual(['input', field]);
  });

  it('is refused with variables that are nested deeply', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const input = webhookInput(teamId, { document, variables: { deep: 'DEEP' } });
    const body = JSON.stringify({ input }).replace('"DEEP"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(deep).toHaveLength(1);
    const answer = await fetch(`${trellis.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${trellis.adminToken}` },
      body: `{"query":"mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { __typename ... on InvalidInputError { issues { path } } } }","variables":${body}}`,
    });
    expect(answer.status).toBeLessThan(500);
    expect(JSON.stringify(await answer.json())).not.toContain('INTERNAL');
  });

  it('requires a service account of the team', async () => {
    const at = ['input', 'serviceAccount'];
    const plain = { document: 'query($event: ID!) { node(id: $event) { id } }' };
    expect((await issueOf('createWebhook', webhookInput(teamId, plain))).path).toEqual(at);
    const serviceAccount = await createOtherAccount(trellis);
    const foreign = webhookInput(teamId, { ...plain, serviceAccount });
    expect((await issueOf('createWebhook', foreign)).path).toEqual(at);
    const none = webhookInput(teamId, { serviceAccount: await createAccount(trellis, teamId) });
    expect((await issueOf('createWebhook', none)).path).toEqual(at);
    const alone = webhookInput(teamId, { variables: { first: 3 } });
    expect((await issueOf('createWebhook', alone)).path).toEqual(['input', 'variables']);
  });

  it('requires all rights of the service account', async () => {
    const admin = await trellis.createMember(teamId, 'ADMIN');
    const grants = [
      { actions: ['CREATE_WEBHOOK', 'UPDATE_WEBHOOK', 'CREATE_PORT'].slice(0, 2), team: { teamId } },
    ];
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'narrow', grants, user: { userId: admin.userId } },
      'secret',
    );
    const plain = { document: 'query($event: ID!) { node(id: $event) { id } }' };
    const inputOf = (serviceAccount: object) => webhookInput(teamId, { ...plain, serviceAccount });
    const viewer = await createAccount(trellis, teamId, 'VIEWER');
    const developer = await createAccount(trellis, teamId, 'DEVELOPER');
    const made = await trellis.succeed('createWebhook', inputOf(viewer), 'webhook { uid }', secret);
    expect(made.webhook.uid).toBeTruthy();
    expect(await trellis.attempt('createWebhook', inputOf(developer), '__typename', secret)).toMatchObject({
      code: 'FORBIDDEN',
    });
    const { webhookId } = await createWebhook(trellis, teamId, { ...plain, serviceAccount: developer });
    const change = { webhook: { webhookId }, url: 'https://other.example/' };
    expect(await trellis.attempt('updateWebhook', change, '__typename', secret)).toMatchObject({
      code: 'FORBIDDEN',
    });
    await trellis.succeed('updateWebhook', change, '__typename', admin.token);
    await trellis.succeed('updateWebhook', { ...change, document: null }, '__typename', secret);
  });
});

describe('updateWebhook', () => {
  it('changes what is given, and leaves the rest', async () => {
    const serviceAccount = await createAccount(trellis, teamId);
    const { webhookId } = await createWebhook(trellis, teamId, {
      document,
      variables: { first: 3 },
      serviceAccount,
    });
    const webhook = { webhookId };
    const first = await read(webhookId);
    await trellis.succeed('updateWebhook', { webhook, url: 'http://other.example/?key=1' }, '__typename');
    expect(await read(webhookId)).toEqual({ ...first, url: 'http://other.example/?key=1', revision: 2 });
    await trellis.succeed(
      'updateWebhook',
      { webhook, events: ['port.add'], variables: { first: 4 } },
      '__typename',
    );
    expect(await read(webhookId)).toMatchObject({
      events: ['port.add'],
      variables: { first: 4 },
      document,
      revision: 3,
    });
    expect((await issueOf('updateWebhook', { webhook, variables: null })).path).toEqual([
      'input',
      'variables',
    ]);
    await trellis.succeed('updateWebhook', { webhook, document: null }, '__typename');
    const plain = { document: null, variables: null, serviceAccount: null, revision: 4 };
    expect(await read(webhookId)).toMatchObject(plain);
    await trellis.succeed('updateWebhook', { webhook, events: ['port.add'] }, '__typename');
    expect(await read(webhookId)).toMatchObject(plain);
  });

  it('switches a webhook on that was switched off', async () => {
    const { webhookId } = await createWebhook(trellis, teamId);
    const off = { isEnabled: false, disabledReason: 'FAILED', failingSince: new Date() };
    await trellis.services.db.transaction((tx) => tx.webhook.update({ where: { id: webhookId }, data: off }));
    expect(await read(webhookId)).toMatchObject({ isEnabled: false, disabledReason: 'FAILED' });
    await trellis.succeed('updateWebhook', { webhook: { webhookId }, isEnabled: true }, '__typename');
    expect(await read(webhookId)).toMatchObject({
      isEnabled: true,
      disabledReason: null,
      failingSince: null,
    });
  });
});

describe('rotateWebhookSecret', () => {
  it('gives a new secret, beside which the old one is kept for a day', async () => {
    const { webhookId, secret } = await createWebhook(trellis, teamId);
    const rotated = await trellis.succeed(
      'rotateWebhookSecret',
      { webhook: { webhookId } },
      'secret webhook { oldSecretUntil revision }',
    );
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    expect(rotated.webhook.revision).toBe(2);
    const left = Date.parse(rotated.webhook.oldSecretUntil) - Date.now();
    expect(left).toBeGreaterThan(23 * 3_600_000);
    expect(left).toBeLessThanOrEqual(24 * 3_600_000);
    const { sealedSecret, sealedOldSecret } = await rowOf(webhookId);
    expect(trellis.services.seal.open(sealedSecret)).toBe(rotated.secret);
    expect(trellis.services.seal.open(sealedOldSecret!)).toBe(secret);
  });
});

describe('deleteWebhook', () => {
  it('deletes the webhook with its deliveries', async () => {
    const { webhookId } = await createWebhook(trellis, teamId);
    await trellis.succeed('testWebhook', { webhook: { webhookId } }, '__typename');
    const input = { webhook: { webhookId } };
    const planned = await trellis.succeed(
      'deleteWebhook',
      { ...input, dryRun: true },
      'plan { action objectUid }',
    );
    expect(planned.plan).toEqual([{ action: 'webhook.delete', objectUid: webhookId }]);
    expect(await deliveriesTo(trellis, webhookId)).toHaveLength(1);
    await trellis.succeed('deleteWebhook', input, 'webhook { uid }');
    expect(await deliveriesTo(trellis, webhookId)).toEqual([]);
    expect(await trellis.attempt('deleteWebhook', input)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('happens with the team, and with the service account of the document', async () => {
    const serviceAccount = await createAccount(trellis, teamId);
    const plain = { document: 'query($event: ID!) { node(id: $event) { id } }', serviceAccount };
    const [ofAccount, other] = [
      await createWebhook(trellis, teamId, plain),
      await createWebhook(trellis, teamId),
    ];
    const removed = await trellis.succeed(
      'deleteServiceAccount',
      { serviceAccount },
      'plan { action objectUid }',
    );
    expect(removed.plan).toContainEqual({ action: 'webhook.delete', objectUid: ofAccount.webhookId });
    expect(await rowOf(ofAccount.webhookId)).toBeUndefined();
    expect(await rowOf(other.webhookId)).toBeDefined();
    await trellis.succeed('deleteTeam', { team: { teamId } }, '__typename');
    expect(await rowOf(other.webhookId)).toBeUndefined();
    expect(await deliveriesTo(trellis, other.webhookId)).toEqual([]);
  });
});

const deliveryFields =
  'uid messageId status attempts responseCode response error durationMs createdAt nextAttemptAt attemptedAt finishedAt event { action } webhook { uid }';

const deliveries = async (webhookId: string, args = '') =>
  (await read(webhookId, `deliveries${args} { totalCount nodes { ${deliveryFields} } }`)).deliveries;

const finished = {
  status: 'FAILED',
  attempts: 7,
  nextAttemptAt: null,
  responseCode: 500,
  response: 'No',
  durationMs: 12,
  attemptedAt: new Date(),
  finishedAt: new Date(),
};
const finish = (id: number, data: object = finished) =>
  trellis.services.db.transaction((tx) => tx.webhookDelivery.update({ where: { id }, data }));

describe('testWebhook', () => {
  it('adds a delivery without an event, and is told to no webhook', async () => {
    const { webhookId } = await createWebhook(trellis, teamId);
    const { delivery } = await trellis.succeed(
      'testWebhook',
      { webhook: { webhookId } },
      `delivery { ${deliveryFields} }`,
    );
    expect(delivery).toMatchObject({
      status: 'PENDING',
      attempts: 0,
      event: null,
      webhook: { uid: webhookId },
    });
    expect(await deliveries(webhookId)).toEqual({ totalCount: 1, nodes: [delivery] });
  });

  it('is refused for a webhook that is switched off, and if ten are pending', async () => {
    const { webhookId } = await createWebhook(trellis, teamId);
    const webhook = { webhookId };
    for (let count = 0; count < 10; count++) await trellis.succeed('testWebhook', { webhook }, '__typename');
    expect(await trellis.attempt('testWebhook', { webhook })).toMatchObject({ code: 'CONFLICT' });
    const [first] = await deliveriesTo(trellis, webhookId);
    await finish(first!.id);
    await trellis.succeed('testWebhook', { webhook }, '__typename');
    await trellis.succeed('updateWebhook', { webhook, isEnabled: false }, '__typename');
    expect(await trellis.attempt('testWebhook', { webhook })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('switched off'),
    });
  });
});

describe('redeliver', () => {
  it('adds a delivery of the same message', async () => {
    const { webhookId } = await createWebhook(trellis, teamId, { events: ['service_account.*'] });
    await createAccount(trellis, teamId);
    const [pending] = (await deliveries(webhookId)).nodes;
    await finish(pending.uid);
    const again = await trellis.succeed(
      'redeliver',
      { delivery: { deliveryId: pending.uid } },
      `delivery { ${deliveryFields} }`,
    );
    expect(again.delivery).toMatchObject({ messageId: pending.messageId, status: 'PENDING', attempts: 0 });
    expect(again.delivery.event).toEqual({ action: 'service_account.create' });
    expect((await deliveries(webhookId)).nodes.map(({ uid }: any) => uid)).toEqual([
      again.delivery.uid,
      pending.uid,
    ]);
    const failed = await deliveries(webhookId, '(status: FAILED)');
    expect(failed.totalCount).toBe(1);
    expect(failed.nodes[0]).toMatchObject({
      uid: pending.uid,
      responseCode: 500,
      response: 'No',
      durationMs: 12,
    });
    expect(await deliveries(webhookId, '(status: DELIVERED)')).toEqual({ totalCount: 0, nodes: [] });
  });

  it('sends a pending delivery at once', async () => {
    const { webhookId } = await createWebhook(trellis, teamId);
    await trellis.succeed('testWebhook', { webhook: { webhookId } }, '__typename');
    const { id } = (await deliveriesTo(trellis, webhookId))[0]!;
    const later = new Date(Date.now() + 3_600_000);
    await finish(id, { attempts: 3, nextAttemptAt: later });
    await trellis.succeed('redeliver', { delivery: { deliveryId: id } }, '__typename');
    const [delivery, ...others] = await deliveriesTo(trellis, webhookId);
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ id, attempts: 3, status: 'PENDING' });
    expect(delivery!.nextAttemptAt!.getTime()).toBeLessThan(later.getTime());
  });

  it('is refused for a webhook that is switched off, and for what does not exist', async () => {
    const { webhookId } = await createWebhook(trellis, teamId);
    await trellis.succeed('testWebhook', { webhook: { webhookId } }, '__typename');
    await trellis.succeed('updateWebhook', { webhook: { webhookId }, isEnabled: false }, '__typename');
    const { id } = (await deliveriesTo(trellis, webhookId))[0]!;
    expect(await trellis.attempt('redeliver', { delivery: { deliveryId: id } })).toMatchObject({
      code: 'CONFLICT',
    });
    expect(await trellis.attempt('redeliver', { delivery: { deliveryId: 2_000_000_000 } })).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('who may use webhooks', () => {
  it('is the admins of the team; its members see them', async () => {
    const { webhookId } = await createWebhook(trellis, teamId);
    await trellis.succeed('testWebhook', { webhook: { webhookId } }, '__typename');
    const { id: deliveryId } = (await deliveriesTo(trellis, webhookId))[0]!;
    const changes: [string, object][] = [
      ['createWebhook', webhookInput(teamId)],
      ['updateWebhook', { webhook: { webhookId }, url: `https://${unique('other')}.example/` }],
      ['testWebhook', { webhook: { webhookId } }],
      ['redeliver', { delivery: { deliveryId } }],
      ['rotateWebhookSecret', { webhook: { webhookId } }],
      ['deleteWebhook', { webhook: { webhookId } }],
    ];
    const elsewhere = await trellis.createTeam();
    const outsider = await trellis.createMember(elsewhere.teamId, 'OWNER');
    for (const role of ['VIEWER', 'DEVELOPER', 'ADMIN']) {
      const { token } = await trellis.createMember(teamId, role);
      expect(await read(webhookId, 'deliveries { nodes { uid } }', token)).toEqual({
        deliveries: { nodes: expect.arrayContaining([{ uid: deliveryId }]) },
      });
      for (const [mutation, input] of changes) {
        const refused = await trellis.attempt(mutation, input, '__typename', outsider.token);
        expect([mutation, refused.code]).toEqual([mutation, 'NOT_FOUND']);
        const { __typename, code } = await trellis.attempt(mutation, input, '__typename', token);
        if (role === 'ADMIN') expect(__typename).toMatch(/Payload$/);
        else expect([mutation, code]).toEqual([mutation, 'FORBIDDEN']);
      }
    }
  });
});
