import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../../support/fixtures.ts';
import { databaseKind, startTrellis, type Trellis } from '../../support/trellis.ts';
import { createWebhook } from '../../support/webhooks.ts';

/** More than a search looks at. */
const events = 13_000;
const searched = 12_000;

let trellis: Trellis;
let place: Place;
let team: { teamId: string };
beforeAll(async () => {
  trellis = await startTrellis();
  place = await trellis.createPlace();
  team = { teamId: place.team.teamId };
  const isPostgres = databaseKind === 'postgres';
  const numbers = isPostgres
    ? `generate_series(1, ${events}) n`
    : `(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ${events}) SELECT n FROM r)`;
  // An event each second from the start of 2030, of which the first is another one.
  const at = isPostgres
    ? `timestamp '2030-01-01' + n * interval '1 second'`
    : `strftime('%Y-%m-%dT%H:%M:%f+00:00', '2030-01-01', '+' || n || ' seconds')`;
  await trellis.services.db.transaction((tx) =>
    tx.$executeRawUnsafe(
      `INSERT INTO event (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes, application_id)
       SELECT t.enterprise_id, t.id, ${at}, 'r', 'port.create', CASE n WHEN 1 THEN 'Volume' ELSE 'Port' END, 'x', '{}', 999999
       FROM team t CROSS JOIN ${numbers} WHERE t.id = '${team.teamId}' ORDER BY n`,
    ),
  );
});
afterAll(() => trellis?.close());

const fields = 'totalCount isTotalCountExact searchedUntil pageInfo { hasNextPage endCursor } nodes { at }';

async function eventsOf(args: string, after?: string, token?: string) {
  const { team: found } = await trellis.data(
    `query ($team: TeamRef!, $after: String) { team(by: $team) { events(after: $after, ${args}) { ${fields} } } }`,
    { team, after },
    token,
  );
  return found.events;
}

const second = (n: number) => new Date(Date.UTC(2030, 0, 1) + n * 1000).toISOString();

describe('the record of a team', () => {
  it('ends a search that finds too little, and continues it from the cursor', async () => {
    const rare = 'first: 5, action: "port.create", objectType: "Volume"';
    const cut = await eventsOf(rare);
    expect(cut).toMatchObject({
      totalCount: 0,
      isTotalCountExact: false,
      searchedUntil: second(events - searched + 1),
      pageInfo: { hasNextPage: true },
      nodes: [],
    });
    const rest = await eventsOf(rare, cut.pageInfo.endCursor);
    expect(rest).toMatchObject({
      searchedUntil: null,
      pageInfo: { hasNextPage: false },
      nodes: [{ at: second(1) }],
    });
  });

  it('is searched to an earlier end by a request with many searches', async () => {
    const aliases = Array.from({ length: 30 }, (_, index) => `a${index}`);
    const found = await trellis.data(
      `{ ${aliases.map((alias) => `${alias}: events(first: 5, objectType: "${alias}") { ${fields} }`).join(' ')} }`,
    );
    const ends = aliases.map((alias) => found[alias].searchedUntil as string).toSorted();
    expect(found.a29).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true } });
    // All of them look at 120,000, and each of those after that at 1,000 more.
    const looked = ends.map((end) => events + 1 - (Date.parse(end) - Date.UTC(2030, 0, 1)) / 1_000);
    expect(Math.min(...looked)).toBeGreaterThanOrEqual(1_000);
    const sum = looked.reduce((total, each) => total + each, 0);
    // The count and the page of a list are searches of their own.
    expect(sum).toBeLessThan(120_000 + 30 * 2_000);
  });

  it('of the whole enterprise is searched with any filter in the same way', async () => {
    const rare = 'first: 5, objectType: "Volume"';
    const search = (after?: string) =>
      trellis.data(`query ($after: String) { events(after: $after, ${rare}) { ${fields} } }`, { after });
    const { events: cut } = await search();
    expect(cut).toMatchObject({ searchedUntil: second(events - searched + 1), nodes: [] });
    const { events: rest } = await search(cut.pageInfo.endCursor);
    expect(rest).toMatchObject({ searchedUntil: null, nodes: [{ at: second(1) }] });
  });

  it('counts up to 10,000 events', async () => {
    expect(await eventsOf('first: 1')).toMatchObject({ totalCount: 10_000, isTotalCountExact: false });
    expect(await eventsOf('first: 1, objectType: "Volume"')).toMatchObject({
      totalCount: 1,
      isTotalCountExact: true,
    });
  });

  it('looks only at the events of a period', async () => {
    const period = `since: "${second(1)}", until: "${second(3)}"`;
    expect(await eventsOf(`first: 5, ${period}`)).toMatchObject({
      totalCount: 2,
      isTotalCountExact: true,
      searchedUntil: null,
      nodes: [{ at: second(2) }, { at: second(1) }],
    });
    expect(await eventsOf(`first: 5, objectType: "Volume", ${period}`)).toMatchObject({
      searchedUntil: null,
      nodes: [{ at: second(1) }],
    });
  });

  it('searches a period from its end in pages', async () => {
    const period = `objectType: "Volume", until: "${second(12_500)}"`;
    const cut = await eventsOf(`first: 1, ${period}`);
    expect(cut).toMatchObject({ searchedUntil: second(500), nodes: [] });
    expect(await eventsOf(`first: 1, ${period}`, cut.pageInfo.endCursor)).toMatchObject({
      searchedUntil: null,
      nodes: [{ at: second(1) }],
    });
  });

  it('does not tell the time of an event that the caller may not see', async () => {
    const { userId, token } = await trellis.createPerson();
    const { appId } = await trellis.createApplication(place);
    const limit = { role: 'VIEWER', applications: [{ appId }] };
    await trellis.succeed('addTeamMember', { team, user: { userId }, ...limit }, '__typename');
    const search = (args: string, after?: string) => eventsOf(args, after, token);
    for (const filter of ['action: "port.create"', `until: "${second(12_500)}"`, `since: "${second(1)}"`]) {
      const cut = await search(`first: 5, ${filter}`);
      expect(cut).toMatchObject({ searchedUntil: '2030-01-02T00:00:00.000Z' });
      const [order, ...position] = JSON.parse(Buffer.from(cut.pageInfo.endCursor, 'base64url').toString());
      expect([order, position.length]).toEqual(['Event.id.desc', 1]);
      const rest = await search(`first: 5, ${filter}`, cut.pageInfo.endCursor);
      expect(rest).toMatchObject({ searchedUntil: null });
    }
    expect(await search('last: 5, action: "port.create"')).toMatchObject({
      searchedUntil: '2030-01-01T00:00:00.000Z',
    });
  });

  it('does not tell the time of the delivery of such an event', async () => {
    const { userId, token } = await trellis.createPerson();
    const { appId } = await trellis.createApplication(place);
    const limit = { role: 'VIEWER', applications: [{ appId }] };
    await trellis.succeed('addTeamMember', { team, user: { userId }, ...limit }, '__typename');
    const { webhookId } = await createWebhook(trellis, team.teamId);
    await trellis.services.db.transaction((tx) =>
      tx.$executeRawUnsafe(
        `INSERT INTO webhook_delivery (webhook_id, team_id, event_id, message_id, subject, status, created_at)
         SELECT '${webhookId}', team_id, id, 'm', 'Port/x', 'FAILED', at FROM event WHERE team_id = '${team.teamId}' AND subject_id = 'x'`,
      ),
    );
    const query =
      'query ($by: WebhookRef!) { webhook(by: $by) { deliveries { nodes { id } searchedUntil } } }';
    const { webhook } = await trellis.data(query, { by: { webhookId } }, token);
    expect(webhook.deliveries).toEqual({ nodes: [], searchedUntil: '2030-01-02T00:00:00.000Z' });
  });
});
