import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.ts';
import { unique } from '../../support/fixtures.ts';
import { type Answer, type Sent, send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

let other: App;
let otherUrl: string;
let ports: string;
const trellis = useTrellis({ limits: { requestTimeoutMs: 5_000 } });
beforeAll(async () => {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  ports = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/services/${componentId}/ports`;
  other = createApp(trellis.services, {
    graphiql: false,
    bodyLimitBytes: 100_000,
    idempotency: { leaseMs: 200, holdMs: 600 },
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as { port: number }).port}`;
});
afterAll(() => other?.stop(1_000));

const createTeam = (name: string): Sent => ({
  body: JSON.stringify({
    query: 'mutation($input: CreateTeamInput!) { createTeam(input: $input) { __typename } }',
    variables: { input: { name } },
  }),
});
const teamsNamed = async (name: string) =>
  Number((await trellis.services.db.query(`SELECT count(*) FROM team WHERE name = '${name}'`, []))[0]![0]);

/** Sends a request whose client leaves, and resolves when the server has noticed. */
async function leave(
  url: string,
  { path = '/graphql', method = 'POST', headers, body }: Sent,
  when: Promise<unknown>,
) {
  const { hostname, port } = new URL(url);
  const sent = request({
    hostname,
    port,
    path,
    method,
    headers: {
      Authorization: `Bearer ${trellis.adminToken}`,
      'Content-Type': 'application/json',
      ...headers,
    } as Record<string, string>,
  });
  sent.on('error', () => {});
  sent.end(body);
  await when;
  trellis.logged.length = 0;
  sent.destroy();
  await expect.poll(() => trellis.logged.some(({ msg }) => msg === 'request')).toBe(true);
}

/** Lets the next change of a request commit, and then wait until `left` has resolved before it goes on. */
function committing(left: () => Promise<unknown>) {
  const { db } = trellis.services;
  const { transaction } = db;
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  db.transaction = async (work, signal) => {
    if (!signal) return transaction(work);
    db.transaction = transaction;
    const result = await transaction(work, signal);
    commit();
    await left();
    return result;
  };
  return committed;
}

describe('an Idempotency-Key whose client leaves during the commit', () => {
  it.each([
    ['GraphQL', () => createTeam(unique('team'))],
    ['REST', () => ({ path: ports, body: JSON.stringify({ port: 8080, protocol: 'http' }) })],
  ] as [string, () => Sent][])('is free afterwards over %s', async (_, make) => {
    const sent: Sent = { ...make(), headers: { 'Idempotency-Key': unique('key') } };
    let leaves: Promise<unknown> | undefined;
    const committed = committing(() => leaves!);
    leaves = leave(trellis.url, sent, committed);
    await leaves;
    const before = (await trellis.counts()).event;
    const again = await send(trellis, sent);
    expect([again.status, again.headers['idempotent-replayed']], again.text).toEqual([200, 'true']);
    expect((await trellis.counts()).event).toBe(before);
  });
});

describe('an Idempotency-Key whose request never ends', () => {
  it('is free after the time limit of a request', async () => {
    const name = unique('team');
    const sent: Sent = { ...createTeam(name), headers: { 'Idempotency-Key': unique('key') } };
    const { db } = trellis.services;
    const { transaction } = db;
    let end = () => {};
    const endless = new Promise<never>((_, reject) => {
      end = () => reject(new Error('ended by the test'));
    });
    let first: Promise<Answer> | undefined;
    await new Promise<void>((resolve) => {
      db.transaction = async (work, signal) => {
        if (!signal) return transaction(work);
        db.transaction = transaction;
        resolve();
        return endless;
      };
      first = send({ url: otherUrl, adminToken: trellis.adminToken }, sent);
    });
    const again = await send(trellis, sent);
    expect([again.status, again.body.data?.createTeam.__typename], again.text).toEqual([
      200,
      'CreateTeamPayload',
    ]);
    end();
    await first;
    expect(await teamsNamed(name)).toBe(1);
  });
});
