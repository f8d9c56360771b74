import { beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';
import { actionsSentTo, createWebhook, deliveriesTo } from '../../support/webhooks.ts';

const trellis = useTrellis();
let place: Place;
let teamId: string;
beforeAll(async () => {
  place = await trellis.createPlace();
  teamId = place.team.teamId;
});

const everything = { events: ['*'] };

const newApplication = async () => (await trellis.createApplication(place)).appId;
const newComponent = async () => (await trellis.createComponent(await newApplication())).componentId;

/** Creates a service account, which is an event of the team alone. */
const createRobot = (input: object = {}) =>
  trellis.succeed(
    'createServiceAccount',
    { team: { teamId }, name: unique('robot'), role: 'VIEWER', ...input },
    'serviceAccount { serviceAccountId: uid }',
  );

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const text =
    "SELECT count(*)::int FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  const [row] = await trellis.services.db.query(text, []);
  return row![0] as number;
}

describe('the deliveries of an event', () => {
  it('are written for the webhooks of its team whose patterns fit', async () => {
    const componentId = await newComponent();
    const [all, group, one, several, other] = await Promise.all(
      [
        ['*'],
        ['port.*'],
        ['port.delete'],
        ['component.scale', 'port.add'],
        ['certificate.*', 'component.*'],
      ].map((events) => createWebhook(trellis, teamId, { events })),
    );
    const before = (await actionsSentTo(trellis, all!.webhookId)).length;
    const { id } = await trellis.addPort(componentId, 8080);
    await trellis.succeed('deletePort', { port: { id } }, '__typename');
    expect((await actionsSentTo(trellis, all!.webhookId)).slice(before)).toEqual(['port.add', 'port.delete']);
    expect(await actionsSentTo(trellis, group!.webhookId)).toEqual(['port.add', 'port.delete']);
    expect(await actionsSentTo(trellis, one!.webhookId)).toEqual(['port.delete']);
    expect(await actionsSentTo(trellis, several!.webhookId)).toEqual(['port.add']);
    expect(await actionsSentTo(trellis, other!.webhookId)).toEqual([]);
  });

  it('are as visible as the event', async () => {
    const [seen, hidden] = await Promise.all([
      trellis.createApplication(place),
      trellis.createApplication(place),
    ]);
    const person = await trellis.createPerson();
    const member = { team: { teamId }, user: { userId: person.userId }, role: 'VIEWER' };
    const limit = { applications: [{ appId: seen.appId }] };
    await trellis.succeed('addTeamMember', { ...member, ...limit }, '__typename');
    const { webhookId } = await createWebhook(trellis, teamId, { events: ['port.add'] });
    for (const { appId } of [seen, hidden]) {
      await trellis.addPort((await trellis.createComponent(appId)).componentId, 8080);
    }
    await trellis.succeed('testWebhook', { webhook: { webhookId } }, '__typename');
    const read = async (token?: string) => {
      const { team } = await trellis.data(
        `query ($by: TeamRef!) {
          team(by: $by) { webhooks { nodes { uid deliveries { totalCount nodes { id event { application { uid } } } } } } }
        }`,
        { by: { teamId } },
        token,
      );
      return team.webhooks.nodes.find(({ uid }: { uid: string }) => uid === webhookId).deliveries;
    };
    const all = await read();
    expect(all.nodes.map(({ event }: any) => event?.application.uid ?? null)).toEqual([
      null,
      hidden.appId,
      seen.appId,
    ]);
    const [test, ofHidden, ofSeen] = all.nodes;
    expect(await read(person.token)).toEqual({ totalCount: 2, nodes: [test, ofSeen] });
    const { nodes } = await trellis.data(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: [test.id, ofHidden.id, ofSeen.id] },
      person.token,
    );
    expect(nodes).toEqual([{ id: test.id }, null, { id: ofSeen.id }]);
  });

  it('say what is sent, and that it is due', async () => {
    const { webhookId } = await createWebhook(trellis, teamId, { events: ['port.add'] });
    const second = await createWebhook(trellis, teamId, { events: ['port.add'] });
    await trellis.addPort(await newComponent(), 8080);
    const [delivery, ...others] = await deliveriesTo(trellis, webhookId);
    const [event] = await trellis.services.db.event.findManyByKeys({ by: 'id', keys: [delivery!.eventId!] });
    expect(others).toEqual([]);
    expect(delivery).toEqual({
      ...delivery,
      webhookId,
      teamId,
      subject: `Port/${event!.subjectId}`,
      status: 'PENDING',
      attempts: 0,
      createdAt: event!.at,
      nextAttemptAt: event!.at,
      owner: null,
      heldUntil: null,
      finishedAt: null,
    });
    expect(event).toMatchObject({ action: 'port.add', subjectType: 'Port' });
    expect(delivery!.messageId).toMatch(/^msg_[0-9a-f]{32}$/);
    const [same] = await deliveriesTo(trellis, second.webhookId);
    expect(same!.messageId).not.toBe(delivery!.messageId);
  });

  it('are not written for a webhook that is switched off', async () => {
    const { webhookId } = await createWebhook(trellis, teamId, { events: ['service_account.*'] });
    const webhook = { webhookId };
    await trellis.succeed('updateWebhook', { webhook, isEnabled: false }, '__typename');
    await createRobot();
    expect(await deliveriesTo(trellis, webhookId)).toEqual([]);
    await trellis.succeed('updateWebhook', { webhook, isEnabled: true }, '__typename');
    await createRobot();
    expect(await actionsSentTo(trellis, webhookId)).toEqual(['service_account.create']);
  });

  it('are not written for other teams', async () => {
    const other = await trellis.createTeam();
    const { webhookId } = await createWebhook(trellis, other.teamId, everything);
    const before = await deliveriesTo(trellis, webhookId);
    await createRobot();
    await trellis.createPlace();
    expect(await deliveriesTo(trellis, webhookId)).toEqual(before);
  });

  it('are not written for a change that is rolled back, or only planned', async () => {
    const { webhookId } = await createWebhook(trellis, teamId, everything);
    const { serviceAccount } = await createRobot();
    const before = await deliveriesTo(trellis, webhookId);
    const planned = await trellis.succeed(
      'deleteServiceAccount',
      { serviceAccount, dryRun: true },
      'plan { action }',
    );
    expect(planned.plan).toEqual([{ action: 'service_account.delete' }]);
    const componentId = await newComponent();
    await trellis.addPort(componentId, 8081);
    const after = await deliveriesTo(trellis, webhookId);
    expect(after.length).toBeGreaterThan(before.length);
    const failed = await trellis.attempt('addPort', {
      component: { componentId },
      number: 8081,
      protocol: 'HTTP',
    });
    expect(failed.code).toBe('CONFLICT');
    expect(await deliveriesTo(trellis, webhookId)).toEqual(after);
  });

  it('are written for each event of a change, in their order', async () => {
    const appId = await newApplication();
    for (let count = 0; count < 3; count++) await trellis.createComponent(appId);
    const { webhookId } = await createWebhook(trellis, teamId, { events: ['component.*', 'application.*'] });
    await trellis.succeed('deleteApplication', { application: { appId }, force: true }, '__typename');
    const deliveries = await deliveriesTo(trellis, webhookId);
    const ids = deliveries.map(({ eventId }) => eventId!);
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
    const actions = await actionsSentTo(trellis, webhookId);
    expect(actions.filter((action) => action === 'component.delete')).toHaveLength(3);
    expect(actions).toContain('application.delete');
  });

  it('wake who sends them', async () => {
    const topics: string[] = [];
    const stop = trellis.services.db.channel.subscribe((found) => void topics.push(...(found ?? [])));
    const elsewhere = await trellis.createTeam();
    const robot = { name: unique('robot'), role: 'VIEWER' };
    await createRobot({ team: { teamId: elsewhere.teamId }, ...robot });
    expect(topics).toContain(`events/${elsewhere.teamId}`);
    const { webhookId } = await createWebhook(trellis, elsewhere.teamId, everything);
    const sends: [string, object][] = [
      ['createServiceAccount', { team: { teamId: elsewhere.teamId }, ...robot, name: unique('robot') }],
      ['testWebhook', { webhook: { webhookId } }],
    ];
    for (const [name, input] of sends) {
      topics.length = 0;
      await trellis.succeed(name, input, '__typename');
      expect([name, topics]).toEqual([name, expect.arrayContaining([`events/${elsewhere.teamId}`])]);
    }
    stop();
  });

  it('take no statement of their own on Postgres, and one on SQLite', async () => {
    const other = await trellis.createPlace();
    const { componentId } = await trellis.createComponent((await trellis.createApplication(other)).appId);
    const add = async (number: number) => {
      trellis.statements.length = 0;
      await trellis.addPort(componentId, number);
      return trellis.statements.filter((text) => !/^(BEGIN|COMMIT)/.test(text));
    };
    await add(9000);
    const without = await add(9001);
    await createWebhook(trellis, other.team.teamId, { events: ['port.*', 'component.*'] });
    const { webhookId } = await createWebhook(trellis, other.team.teamId, everything);
    const withWebhooks = await add(9002);
    expect(await actionsSentTo(trellis, webhookId)).toContain('port.add');
    expect(withWebhooks).toHaveLength(without.length);
    const writing = withWebhooks.filter((text) => text.includes('"webhook_delivery"'));
    expect(writing).toHaveLength(1);
    expect(writing[0]!.includes('INSERT INTO "event"')).toBe(databaseKind === 'postgres');
  });

  it('leave out a webhook that another transaction has just deleted', async () => {
    const { db } = trellis.services;
    const other = await trellis.createTeam();
    const { webhookId } = await createWebhook(trellis, other.teamId, everything);
    const kept = await createWebhook(trellis, other.teamId, { events: ['service_account.*'] });
    let change: Promise<unknown> | undefined;
    await db.transaction(async (tx) => {
      await tx.webhook.delete({ where: { id: webhookId } });
      change = createRobot({ team: { teamId: other.teamId } });
      // On SQLite, the change begins after this transaction.
      if (databaseKind === 'postgres') await expect.poll(waiting, { timeout: 60_000 }).toBe(1);
    });
    await change;
    expect(await deliveriesTo(trellis, webhookId)).toEqual([]);
    expect(await actionsSentTo(trellis, kept.webhookId)).toEqual(['service_account.create']);
  });

  it('take no statement for an event without a team', async () => {
    trellis.statements.length = 0;
    await trellis.succeed(
      'createRole',
      { name: unique('role'), actions: ['DEPLOY_COMPONENT'] },
      '__typename',
    );
    expect(trellis.statements.join('\n')).toContain('INSERT INTO "event"');
    expect(trellis.statements.join('\n')).not.toContain('webhook');
  });
});
