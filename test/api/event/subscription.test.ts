import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeGlobalId, numericId } from '../../../src/kernel/global-id.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { type SentItem, type SubscribeOptions, subscribe, until } from '../../support/subscribe.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const events = `subscription Events($team: TeamRef!) {
  events(team: $team) { id action objectType objectUid team { name } user { email } }
}`;

const trellis = useTrellis();
let place: Place;
beforeAll(async () => {
  place = await trellis.createPlace();
});

const follow = (team: { teamId: string }, options: SubscribeOptions = {}) =>
  subscribe(trellis, events, { variables: { team: { teamId: team.teamId } }, ...options });

/** Records one event of the team. */
const rename = (team: { teamId: string }, alias = unique('alias')) =>
  trellis.succeed('updateTeam', { team: { teamId: team.teamId }, alias }, 'team { alias }');

const eventOf = (item: SentItem | undefined) => item?.data?.data?.events;

describe('events', () => {
  it('are sent after the commit, in their order, with all that is asked of them', async () => {
    const team = place.team;
    const subscription = await follow(team);
    expect(subscription.status).toBe(200);
    expect(subscription.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const application = await trellis.createApplication(place);
    await rename(team);
    const first = await subscription.next();
    expect(first).toMatchObject({
      event: 'next',
      data: {
        data: {
          events: {
            action: 'application.create',
            objectType: 'Application',
            objectUid: String(application.appId),
            team: { name: team.name },
            user: { email: 'admin@trellis.example' },
          },
        },
      },
    });
    expect(first?.id).toBeTruthy();
    expect(eventOf(await subscription.next()).action).toBe('team.update');
    subscription.close();
  });

  it('that a client has missed are read as those of its user, so that others need not wait for them', async () => {
    const { team } = place;
    const first = await follow(team);
    await rename(team);
    const { id } = (await first.next())!;
    first.close();
    await rename(team);
    const { db } = trellis.services;
    const { query } = db;
    const callers = new Set<string | undefined>();
    db.query = (text, params, options) => {
      if (options?.caller && text.includes('FROM "event" t')) callers.add(options.caller);
      return query.call(db, text, params, options);
    };
    const resumed = await follow(team, { lastEventId: id });
    expect(eventOf(await resumed.next()).action).toBe('team.update');
    resumed.close();
    db.query = query;
    const { viewer } = await trellis.data('{ viewer { user { uid } } }');
    expect([...callers]).toEqual([String(viewer.user.uid)]);
  });

  it('of other teams are not sent', async () => {
    const [one, other] = [await trellis.createTeam(), await trellis.createTeam()];
    const subscription = await follow(one);
    await rename(other);
    await rename(one);
    expect(eventOf(await subscription.next()).team.name).toBe(one.name);
    subscription.close();
  });

  it('are sent by GET as well, which is what EventSource uses', async () => {
    const subscription = await follow(place.team, { method: 'GET' });
    await rename(place.team);
    expect(eventOf(await subscription.next()).action).toBe('team.update');
    subscription.close();
  });

  it('are found again from Last-Event-ID, without a gap and without repetition', async () => {
    const team = await trellis.createTeam();
    const aliases = Array.from({ length: 30 }, () => unique('alias'));
    const subscription = await follow(team);
    await Promise.all(aliases.map((alias) => rename(team, alias)));
    const sent: SentItem[] = [];
    while (sent.length < aliases.length) sent.push((await subscription.next())!);
    subscription.close();
    const ids = sent.map((item) => eventOf(item).id);
    expect(new Set(ids).size).toBe(aliases.length);

    for (const at of [0, 7, 28]) {
      const again = await follow(team, { lastEventId: sent[at]!.id });
      const rest: SentItem[] = [];
      while (rest.length < aliases.length - 1 - at) rest.push((await again.next())!);
      await rename(team);
      expect(rest.map((item) => eventOf(item).id).sort()).toEqual(ids.slice(at + 1).sort());
      // What is live follows what was missed.
      const live = eventOf(await again.next());
      expect(ids).not.toContain(live.id);
      again.close();
      ids.push(live.id);
      sent.push({});
      aliases.push('');
    }
  });

  it('are not missed by a client that is interrupted before the first one', async () => {
    const team = await trellis.createTeam();
    const subscription = await follow(team);
    await expect.poll(() => subscription.lastId()).toBeDefined();
    subscription.close();
    await rename(team);
    const again = await follow(team, { lastEventId: subscription.lastId() });
    expect(eventOf(await again.next()).action).toBe('team.update');
    again.close();
  });

  it('are not looked for among those that were recorded while nobody subscribed', async () => {
    const team = await trellis.createTeam();
    (await follow(team)).close();
    for (let count = 0; count < 3; count++) await rename(team);
    const query = 'query($by: TeamRef!) { team(by: $by) { events(first: 1) { nodes { id } } } }';
    const { team: read } = await trellis.data(query, { by: { teamId: team.teamId } });
    const last = numericId(decodeGlobalId(read.events.nodes[0].id)!.id)!;
    // The position begins with the id behind which events are looked for. Others can be writing at that moment.
    const lowestId = async () => {
      const subscription = await follow(team);
      await expect.poll(() => subscription.lastId()).toBeDefined();
      subscription.close();
      return Number(subscription.lastId()!.split('/')[0]);
    };
    await expect.poll(lowestId).toBeGreaterThanOrEqual(last);
  });

  it.runIf(databaseKind === 'postgres')('are not missed if others are read before the commit', async () => {
    const team = await trellis.createTeam();
    const subscription = await follow(team);
    await rename(team);
    const { id: lastEventId } = (await subscription.next())!;
    // Reads the events of the team.
    const read = async () => (await follow(team, { lastEventId })).close();
    const [earlier, later] = [1, 2].map(() => new pg.Client({ connectionString: trellis.databaseUrl }));
    for (const client of [earlier!, later!]) {
      await client.connect();
      await client.query('BEGIN');
      await client.query('SELECT pg_current_xact_id()');
    }
    await later!.query(`SELECT pg_notify('trellis', $1)`, [`another events/${team.teamId}`]);
    await later!.query(
      `INSERT INTO event (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes)
       SELECT enterprise_id, team_id, at, request_id, 'team.held', subject_type, subject_id, changes
       FROM event WHERE team_id = $1 LIMIT 1`,
      [team.teamId],
    );
    await read();
    // No transaction ends that has begun to write after the one with the event.
    await earlier!.query('COMMIT');
    await read();
    await read();
    await later!.query('COMMIT');
    await Promise.all([earlier!.end(), later!.end()]);
    await rename(team);
    expect(eventOf(await subscription.next()).action).toBe('team.held');
    expect(eventOf(await subscription.next()).action).toBe('team.update');
    subscription.close();
  });

  it('end with NOT_FOUND after the team was deleted', async () => {
    const team = await trellis.createTeam();
    const subscription = await follow(team);
    await trellis.succeed('deleteTeam', { team: { teamId: team.teamId } }, 'team { name }');
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(items.map((item) => eventOf(item)?.action ?? item.data?.errors[0].extensions.code)).toEqual([
      'team.remove_member',
      'team.delete',
      'NOT_FOUND',
      undefined,
    ]);
    expect(await subscription.next()).toBeUndefined();
  });
});

describe('a subscription is refused', () => {
  const codeOf = (item: SentItem | undefined) => item?.data?.errors?.[0]?.extensions.code;

  it('without a token', async () => {
    const { status } = await follow(place.team, { token: null });
    expect(status).toBe(401);
  });

  it('for a team that the caller cannot see, as for one that does not exist', async () => {
    const outsider = await trellis.createMember((await trellis.createTeam()).teamId, 'OWNER');
    for (const team of [place.team, { teamId: 'nobody' }]) {
      const subscription = await follow(team, { token: outsider.token });
      const item = await subscription.next();
      expect(codeOf(item)).toBe('NOT_FOUND');
      expect(item?.data.errors[0].message).toBe('There is no such team.');
      expect((await subscription.next())?.event).toBe('complete');
      expect(await subscription.next()).toBeUndefined();
    }
  });

  it('with an id that is none, or of another team', async () => {
    const ahead = '1/999999999:999999999:';
    const other = await follow(await trellis.createTeam());
    await expect.poll(() => other.lastId()).toBeDefined();
    other.close();
    const own = await follow(place.team);
    await expect.poll(() => own.lastId()).toBeDefined();
    own.close();
    for (const lastEventId of [
      'x',
      other.lastId()!,
      // Made up from one that is.
      own.lastId()!.replace(/^\d+/, '0'),
      own.lastId()!.replace(/\..*$/, ''),
      '0/1:1:',
      '1/2',
      '9/0:1:',
      '1/5:4:',
      '1/1:9:3,2',
      '9999999999/1:1:',
      ahead,
      `1/1:1:/${ahead}/3`,
    ]) {
      const subscription = await follow(place.team, { lastEventId });
      expect(codeOf(await subscription.next()), lastEventId).toBe('INVALID_INPUT');
      subscription.close();
    }
  });

  it('by clients that accept no events', async () => {
    const variables = { team: { teamId: place.team.teamId } };
    const refused = await follow(place.team, { variables, headers: { Accept: 'application/json' } });
    expect(refused.status).toBe(406);
    refused.close();
  });

  it('without a field', async () => {
    const query = events.replace('(team: $team) {', '(team: $team) @skip(if: true) {');
    const refused = await subscribe(trellis, query, { variables: { team: { teamId: place.team.teamId } } });
    expect(codeOf(await refused.next())).toBe('INVALID_INPUT');
    refused.close();
  });
});

describe('a subscription ends with the error', () => {
  it('when its token is revoked', async () => {
    const member = await trellis.createMember(place.team.teamId, 'VIEWER');
    const subscription = await follow(place.team, { token: member.token });
    const { viewer } = await trellis.data(
      '{ viewer { user { accessTokens { nodes { tokenId: uid } } } } }',
      {},
      member.token,
    );
    await trellis.succeed(
      'revokeAccessToken',
      { token: { tokenId: viewer.user.accessTokens.nodes[0].tokenId } },
      'accessToken { tokenId: uid }',
    );
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(items[0]!.data.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('when its member is removed', async () => {
    const member = await trellis.createMember(place.team.teamId, 'VIEWER');
    const subscription = await follow(place.team, { token: member.token });
    await trellis.succeed(
      'removeTeamMember',
      { team: { teamId: place.team.teamId }, user: { userId: member.userId } },
      'team { name }',
    );
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(items.map(({ data }) => data?.errors?.[0].extensions.code)).toEqual(['NOT_FOUND', undefined]);
  });

  it('when its user is deactivated', async () => {
    const member = await trellis.createMember(place.team.teamId, 'VIEWER');
    const subscription = await follow(place.team, { token: member.token });
    await trellis.succeed('updateUser', { user: { userId: member.userId }, isActive: false }, 'user { uid }');
    const items = await until(subscription, ({ event }) => event === 'complete');
    expect(items[0]!.data.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });
});
