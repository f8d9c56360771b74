import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { unique } from '../support/fixtures.ts';
import { type SentItem, type Subscription, subscribe, until } from '../support/subscribe.ts';
import {
  createMigratedDatabase,
  databaseKind,
  startTrellis,
  type TestDatabase,
  type Trellis,
} from '../support/trellis.ts';

const events = `subscription Events($team: TeamRef!) { events(team: $team) { id changes { field after: newValue } } }`;

describe.runIf(databaseKind === 'postgres')('two gateways on one database', () => {
  let database: TestDatabase;
  let here: Trellis;
  let there: Trellis;
  let admin: pg.Client;
  let team: { teamId: string };
  beforeAll(async () => {
    database = await createMigratedDatabase();
    here = await startTrellis({ database: { url: database.url } });
    there = { ...(await startTrellis({ database: { url: database.url } })), adminToken: here.adminToken };
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    team = await here.createTeam();
    await isListening();
  });
  afterAll(async () => {
    await admin?.end();
    await here?.close();
    await database?.drop();
  });

  const isListening = () =>
    vi.waitFor(() => expect(there.services.db.channel.isConnected).toBe(true), { timeout: 90_000 });
  const variables = () => ({ team: { teamId: team.teamId } });
  const followThere = (options: { token?: string; lastEventId?: string | undefined } = {}) =>
    subscribe(there, events, { token: here.adminToken, variables: variables(), ...options });
  const rename = async (alias = unique('alias')) => {
    await here.succeed('updateTeam', { ...variables(), alias }, 'team { alias }');
    return alias;
  };
  const aliasOf = (item: SentItem | undefined): string =>
    item?.data?.data?.events.changes.find(({ field }: { field: string }) => field === 'alias')?.after;
  const aliases = async (subscription: Subscription, count: number) => {
    const found: string[] = [];
    while (found.length < count) found.push(aliasOf(await subscription.next()));
    return found;
  };
  const cut = () =>
    admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'trellis-listen' AND datname = current_database()",
    );
  /** An event whose transaction stays open until the function is called. */
  const openEvent = async (alias: string) => {
    let commit = () => {};
    let inserted = () => {};
    const ready = new Promise<void>((resolve) => {
      inserted = resolve;
    });
    const ended = here.services.db.transaction(async (tx) => {
      const { id: enterpriseId } = await tx.enterprise.findFirstOrThrow();
      await tx.event.create({
        data: {
          enterpriseId,
          teamId: team.teamId,
          at: new Date(),
          requestId: 'late',
          action: 'team.update',
          subjectType: 'Team',
          subjectId: team.teamId,
          changes: JSON.stringify({ alias: ['', alias] }),
        },
      });
      inserted();
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
    await ready;
    return async () => {
      commit();
      await ended;
    };
  };

  it('send the events of one to the subscribers of the other', async () => {
    const subscription = await followThere();
    const made = await Promise.all(Array.from({ length: 20 }, () => rename()));
    expect((await aliases(subscription, 20)).sort()).toEqual(made.sort());
    subscription.close();
  });

  it('send an event whose transaction ends after those with higher ids, live and from Last-Event-ID', async () => {
    const subscription = await followThere();
    const commit = await openEvent('late');
    const first = await rename();
    const sent = await subscription.next();
    expect(aliasOf(sent)).toBe(first);
    await commit();
    const second = await rename();
    expect((await aliases(subscription, 2)).sort()).toEqual(['late', second].sort());
    subscription.close();

    const again = await followThere({ lastEventId: sent!.id });
    expect((await aliases(again, 2)).sort()).toEqual(['late', second].sort());
    const third = await rename();
    expect(await aliases(again, 1)).toEqual([third]);
    again.close();
  });

  it('lose nothing when their listening connections are cut', async () => {
    const subscription = await followThere();
    const made: string[] = [];
    for (let round = 0; round < 3; round++) {
      await cut();
      made.push(...(await Promise.all(Array.from({ length: 5 }, () => rename()))));
    }
    expect((await aliases(subscription, made.length)).sort()).toEqual(made.sort());
    subscription.close();
    await isListening();
  });

  it('refuse a revoked token at once, and end its subscription', async () => {
    const member = await here.createMember(team.teamId, 'VIEWER');
    const subscription = await followThere({ token: member.token });
    const asks = async () => (await there.graphql('{ viewer { isAdministrator } }', {}, member.token)).errors;
    expect(await asks()).toBeUndefined();
    await here.succeed('updateUser', { user: { userId: member.userId }, isActive: false }, 'user { uid }');
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(items[0]!.data.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    // The cache keeps tokens for an hour in tests.
    expect((await asks())?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  it('refuse a removed member at once, also if the listening connection was lost meanwhile', async () => {
    const member = await here.createMember(team.teamId, 'VIEWER');
    const subscription = await followThere({ token: member.token });
    await cut();
    await here.succeed(
      'removeTeamMember',
      { ...variables(), user: { userId: member.userId } },
      'team { name }',
    );
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(items[0]!.data.errors[0].extensions.code).toBe('NOT_FOUND');
    const { errors } = await there.graphql(
      'query($team: TeamRef!) { team(by: $team) { name } }',
      variables(),
      member.token,
    );
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
    await isListening();
  });

  it('drop what they have cached of a store when a template changes', async () => {
    const forgotten: (string | undefined)[] = [];
    const { store } = there.services.drivers;
    const { forget } = store;
    store.forget = (key) => {
      forgotten.push(key);
      forget(key);
    };
    here.services.db.channel.publish(new Set(['template/x']));
    await admin.query(`SELECT pg_notify('trellis', 'other template/a%20b')`);
    await expect.poll(() => forgotten).toEqual(['a b']);
    store.forget = forget;
  });

  // The last test, because it stops one.
  it('end subscriptions when they stop, so that clients go on elsewhere', async () => {
    const subscription = await followThere();
    const made = await rename();
    const { id } = (await subscription.next())!;
    await there.close();
    const last = await subscription.next();
    expect(last?.data.errors[0].extensions.code).toBe('UNAVAILABLE');
    expect(await subscription.next()).toBeUndefined();
    const next = await rename();
    const again = await subscribe(here, events, { variables: variables(), lastEventId: id });
    expect([made, ...(await aliases(again, 1))]).toEqual([made, next]);
    again.close();
  });
});
