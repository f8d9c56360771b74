import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppOptions } from '../../../src/app.ts';
import { type App, createApp } from '../../../src/app.ts';
import { UnavailableError } from '../../../src/kernel/errors.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { meanwhile } from '../../support/meanwhile.ts';
import { type Answer, send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

let place: Place;
let appId: number;
let ports: string;
const gateways: App[] = [];
const trellis = useTrellis();
beforeAll(async () => {
  place = await trellis.createPlace();
  appId = (await trellis.createApplication(place)).appId;
  const { componentId } = await trellis.createComponent(appId);
  ports = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/services/${componentId}/ports`;
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.stop(1_000);
});

/** Another gateway on the same database. */
async function gateway(options: Partial<AppOptions> = {}): Promise<string> {
  const app = createApp(trellis.services, { graphiql: false, bodyLimitBytes: 100_000, ...options });
  gateways.push(app);
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(app.address() as { port: number }).port}`;
}

interface Options {
  token?: string;
  url?: string;
  headers?: Record<string, string>;
}

const graphql = (
  key: string | undefined,
  query: string,
  variables: object,
  { url = trellis.url, token, headers }: Options = {},
) =>
  send(
    { url, adminToken: trellis.adminToken },
    { token, headers: { 'Idempotency-Key': key, ...headers }, body: JSON.stringify({ query, variables }) },
  );

const rest = (key: string, method: string, path: string, body?: object) =>
  send(trellis, {
    method,
    path,
    headers: { 'Idempotency-Key': key },
    ...(body && { body: JSON.stringify(body) }),
  });

const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';
const withoutHeaders = ({ status, text, headers }: Answer) => ({
  status,
  text,
  mediaType: headers['content-type'],
});

const createTeam = `mutation($input: CreateTeamInput!) { createTeam(input: $input) { __typename
  ... on CreateTeamPayload { team { teamId: uid name } } ... on Error { code message } } }`;
const newTeam = () => ({ input: { name: unique('team') } });
const teamsNamed = async (name: string) =>
  Number((await trellis.services.db.query(`SELECT count(*) FROM team WHERE name = '${name}'`, []))[0]![0]);

/** Sends a request twice; the second must repeat the first. */
async function expectRepeated(request: () => Promise<Answer>): Promise<Answer> {
  const first = await request();
  const before = await trellis.counts();
  const second = await request();
  expect(isReplayed(first)).toBe(false);
  expect(withoutHeaders(second)).toEqual(withoutHeaders(first));
  expect(isReplayed(second)).toBe(true);
  expect(await trellis.counts()).toEqual(before);
  return first;
}

/** The next change fails with this error. */
const failing = (error: Error, request: () => Promise<Answer>) =>
  meanwhile(trellis, () => Promise.reject(error), request).then(({ result }) => result);

describe('a request with an Idempotency-Key', () => {
  it('changes once over GraphQL, with the same answer', async () => {
    const key = unique('key');
    const variables = newTeam();
    const { body } = await expectRepeated(() => graphql(key, createTeam, variables));
    expect(body.data.createTeam.team.name).toBe(variables.input.name);
    const without = await graphql(undefined, createTeam, variables);
    expect(without.body.data.createTeam.code).toBe('CONFLICT');
  });

  it('changes once over REST, with the same answer', async () => {
    const [key, another] = [unique('key'), unique('key')];
    const { status } = await expectRepeated(() => rest(key, 'POST', ports, { port: 8080, protocol: 'http' }));
    expect(status).toBe(200);
    await expectRepeated(() => rest(another, 'DELETE', `${ports}/8080`));
  });

  it('is the same whatever the media type and the order of fields', async () => {
    const key = unique('key');
    const { name } = newTeam().input;
    const json = await graphql(key, createTeam, { input: { name, alias: 'T' } });
    const stream = await graphql(
      key,
      createTeam,
      { input: { alias: 'T', name } },
      { headers: { Accept: 'text/event-stream' } },
    );
    expect(withoutHeaders(stream)).toEqual(withoutHeaders(json));
    expect(isReplayed(stream)).toBe(true);
  });

  it('is CONFLICT with another input, operation or surface', async () => {
    const key = unique('key');
    const variables = newTeam();
    await graphql(key, createTeam, variables);
    const before = await trellis.counts();
    for (const other of [
      await graphql(key, createTeam, newTeam()),
      await graphql(key, createTeam.replace('uid name', 'uid alias'), variables),
    ]) {
      expect(other.body.errors[0].extensions.code).toBe('CONFLICT');
      expect(other.body.data).toBeUndefined();
    }
    const onRest = await rest(key, 'DELETE', `${ports}/8080`);
    expect([onRest.status, onRest.body.code]).toEqual([409, 'CONFLICT']);
    expect(await trellis.counts()).toEqual(before);
  });

  it('belongs to the access token', async () => {
    const key = unique('key');
    const [first, { token }] = [await graphql(key, createTeam, newTeam()), await trellis.createPerson()];
    const other = await graphql(key, createTeam, newTeam(), { token });
    expect(other.body.data.createTeam.code).toBe('FORBIDDEN');
    expect(isReplayed(first) || isReplayed(other)).toBe(false);
  });

  it.each([' ', 'a b', 'x'.repeat(256), 'ü'])('is INVALID_INPUT if the key is %j', async (key) => {
    const onGraphql = await graphql(key, createTeam, newTeam(), {
      headers: { Accept: 'application/graphql-response+json' },
    });
    expect([onGraphql.status, onGraphql.body.errors[0].extensions]).toMatchObject([
      400,
      { code: 'INVALID_INPUT', issues: [{ path: ['Idempotency-Key'] }] },
    ]);
    const onRest = await rest(key, 'DELETE', `${ports}/8080`);
    expect(onRest.body).toMatchObject({ code: 'INVALID_INPUT', issues: [{ path: ['Idempotency-Key'] }] });
  });

  it('ignores the key if it changes nothing', async () => {
    trellis.statements.length = 0;
    const query = await graphql('not a key', '{ viewer { user { id } } }', {});
    expect(query.body.data.viewer).toBeTruthy();
    expect((await rest('not a key', 'GET', '/openapi/v1/teams')).status).toBe(200);
    expect((await rest('not a key', 'POST', '/openapi/v1/teams/resource', [])).status).toBe(200);
    await graphql(undefined, createTeam, newTeam());
    expect(trellis.statements.filter((text) => text.includes('idempotency'))).toEqual([]);
  });

  it('repeats failures that the request caused, even if their cause has gone', async () => {
    const name = unique('team');
    const other = await trellis.succeed('createTeam', { name }, 'team { uid }');
    const key = unique('key');
    const taken = await graphql(key, createTeam, { input: { name } });
    expect(taken.body.data.createTeam.code).toBe('CONFLICT');
    await trellis.succeed('deleteTeam', { team: { teamId: other.team.uid } }, 'team { uid }');
    const again = await graphql(key, createTeam, { input: { name } });
    expect([again.text, isReplayed(again)]).toEqual([taken.text, true]);

    const port = { port: 81, protocol: 'http' };
    await rest(unique('key'), 'POST', ports, port);
    const restKey = unique('key');
    const refused = await expectRepeated(() => rest(restKey, 'POST', ports, port));
    expect(refused.body.code).toBe('CONFLICT');
    const missing = unique('key');
    expect((await expectRepeated(() => rest(missing, 'DELETE', `${ports}/4711`))).status).toBe(404);
  });

  it.each([
    ['UNAVAILABLE', new UnavailableError('Later.')],
    ['INTERNAL', new Error('broken')],
  ])('is executed again after %s', async (code, error) => {
    const [key, restKey] = [unique('key'), unique('key')];
    const variables = newTeam();
    const request = () => graphql(key, createTeam, variables);
    expect((await failing(error, request)).body.errors[0].extensions.code).toBe(code);
    const { body } = await expectRepeated(request);
    expect(body.data.createTeam.team.name).toBe(variables.input.name);
    const change = () => rest(restKey, 'POST', ports, { port: code.length, protocol: 'tcp' });
    expect((await failing(error, change)).body.code).toBe(code);
    expect((await expectRepeated(change)).status).toBe(200);
  });

  it('makes only those of several changes that were not made', async () => {
    const key = unique('key');
    const [one, two] = [unique('team'), unique('team')];
    const query = `mutation($one: CreateTeamInput!, $two: CreateTeamInput!) {
      one: createTeam(input: $one) { ... on CreateTeamPayload { team { uid name alias } } }
      two: createTeam(input: $two) { ... on CreateTeamPayload { team { uid name alias } } } }`;
    const request = () => graphql(key, query, { one: { name: one }, two: { name: two } });
    let changes = 0;
    const { db } = trellis.services;
    const { transaction } = db;
    db.transaction = (work, signal) => {
      if (signal && ++changes === 2) return Promise.reject(new UnavailableError('Later.'));
      return transaction(work, signal);
    };
    const first = await request().finally(() => {
      db.transaction = transaction;
    });
    expect(first.body.data).toBeNull();
    expect(first.body.errors).toMatchObject([{ path: ['two'], extensions: { code: 'UNAVAILABLE' } }]);
    expect([await teamsNamed(one), await teamsNamed(two)]).toEqual([1, 0]);
    const second = await expectRepeated(request);
    expect(second.body.data).toMatchObject({ one: { team: { name: one } }, two: { team: { name: two } } });
    expect([await teamsNamed(one), await teamsNamed(two)]).toEqual([1, 1]);
  });

  it('waits for another one with the key, on every gateway', async () => {
    const other = await gateway();
    const hasty = await gateway({ limits: { requestTimeoutMs: 300 } });
    const key = unique('key');
    const variables = newTeam();
    const waiting: Promise<Answer>[] = [];
    const asked = () =>
      trellis.statements.filter((text) => /SELECT.*\sFROM idempotency_key WHERE/s.test(text));
    const before = async () => {
      trellis.statements.length = 0;
      waiting.push(graphql(key, createTeam, variables), graphql(key, createTeam, variables, { url: other }));
      const conflict = await graphql(key, createTeam, newTeam(), { url: other });
      expect(conflict.body.errors[0].extensions.code).toBe('CONFLICT');
      const late = await graphql(key, createTeam, variables, { url: hasty });
      expect(late.body.errors[0].extensions.code).toBe('UNAVAILABLE');
      await expect.poll(() => asked().length).toBeGreaterThan(3);
    };
    const { result: first } = await meanwhile(trellis, before, () => graphql(key, createTeam, variables));
    expect(isReplayed(first)).toBe(false);
    for (const answer of await Promise.all(waiting)) {
      expect(withoutHeaders(answer)).toEqual(withoutHeaders(first));
      expect(isReplayed(answer)).toBe(true);
    }
    expect(await teamsNamed(variables.input.name)).toBe(1);
  });

  it.each([
    ['whose lease has expired', -1],
    ['whose clock was an hour ahead', 3_600_000],
  ])('takes the key of a gateway that is gone, %s', async (_, aheadMs) => {
    const key = unique('key');
    const variables = newTeam();
    const request = () => graphql(key, createTeam, variables);
    await failing(new UnavailableError('Later.'), request);
    await trellis.services.db.transaction((tx) =>
      tx.idempotencyKey.updateMany({
        where: { sealedAnswer: null },
        data: { owner: 'gone', heldUntilMs: Date.now() + aheadMs },
      }),
    );
    await expectRepeated(request);
  });

  it('changes nothing once another gateway has taken its key', async () => {
    const key = unique('key');
    const variables = newTeam();
    const take = () =>
      trellis.services.db.transaction((tx) =>
        tx.idempotencyKey.updateMany({ where: { owner: { not: null } }, data: { heldUntilMs: 0 } }),
      );
    const other = await gateway({ idempotency: { leaseMs: 60_000 } });
    let taken: Answer | undefined;
    const { result: first } = await meanwhile(
      trellis,
      async () => {
        await take();
        taken = await graphql(key, createTeam, variables, { url: other });
      },
      () => graphql(key, createTeam, variables),
    );
    expect(taken!.body.data.createTeam.team.name).toBe(variables.input.name);
    expect(first.body.data?.createTeam?.team).toBeUndefined();
    const again = await graphql(key, createTeam, variables);
    expect([again.text, isReplayed(again)]).toEqual([taken!.text, true]);
    expect(await teamsNamed(variables.input.name)).toBe(1);
  });

  it('keeps secrets encrypted', async () => {
    const key = unique('key');
    const query = `mutation { createAccessToken(input: { name: "once" }) {
      ... on CreateAccessTokenPayload { secret accessToken { uid } } } }`;
    const { body } = await expectRepeated(() => graphql(key, query, {}));
    const { secret } = body.data.createAccessToken;
    const { db } = trellis.services;
    const stored = JSON.stringify([
      await db.query('SELECT * FROM idempotency_key', []),
      await db.query('SELECT * FROM idempotency_result', []),
      trellis.logged,
    ]);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(key);
  });

  it('repeats the plan of a dry run, for read-only tokens as well', async () => {
    const { secret } = await trellis.succeed(
      'createAccessToken',
      { name: 'reader', isReadOnly: true },
      'secret',
    );
    const made = await trellis.succeed('createTeam', newTeam().input, 'team { uid }');
    const query = `mutation($input: DeleteTeamInput!) { deleteTeam(input: $input) {
      ... on DeleteTeamPayload { plan { action objectUid } } ... on Error { code } } }`;
    const key = unique('key');
    const team = { teamId: made.team.uid };
    const planned = await expectRepeated(() =>
      graphql(key, query, { input: { team, dryRun: true } }, { token: secret }),
    );
    expect(planned.body.data.deleteTeam.plan).not.toEqual([]);
    await trellis.succeed('deleteTeam', { team }, 'team { uid }');
    const again = await graphql(key, query, { input: { team, dryRun: true } }, { token: secret });
    expect(again.text).toBe(planned.text);
  });

  it('runs the hooks of plugins', async () => {
    const url = await gateway({ plugins: [{ onResponse: () => {} }] });
    const key = unique('key');
    const variables = newTeam();
    await expectRepeated(() => graphql(key, createTeam, variables, { url }));
  });

  it('is executed again after its answer has expired, and old answers are deleted', async () => {
    const key = unique('key');
    const variables = newTeam();
    await graphql(key, createTeam, variables);
    await trellis.services.db.transaction((tx) => tx.idempotencyKey.updateMany({ data: { createdAtMs: 0 } }));
    const { body } = await expectRepeated(() => graphql(key, createTeam, variables));
    expect(body.data.createTeam.code).toBe('CONFLICT');
    await gateway({ idempotency: { keepMs: 40 } });
    const kept = async () => (await trellis.counts()).idempotency_key;
    await expect.poll(kept, { timeout: 60_000 }).toBe(0);
  });
});
