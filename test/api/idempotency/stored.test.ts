import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../../src/app.ts';
import { UnavailableError } from '../../../src/kernel/errors.ts';
import { type Place, unique } from '../../support/fixtures.ts';
import { type Answer, send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let place: Place;
let ports: string;
beforeAll(async () => {
  place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  ports = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}/services/${componentId}/ports`;
});

interface Options {
  token?: string;
  url?: string;
}
const graphql = (key: string, query: string, variables: object, { token, url = trellis.url }: Options = {}) =>
  send(
    { url, adminToken: trellis.adminToken },
    { token, headers: { 'Idempotency-Key': key }, body: JSON.stringify({ query, variables }) },
  );
const rest = (key: string, method: string, path: string, body?: object) =>
  send(trellis, {
    method,
    path,
    headers: { 'Idempotency-Key': key },
    ...(body && { body: JSON.stringify(body) }),
  });
const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'] === 'true';

const deleteTeam = `mutation($name: String!) { deleteTeam(input: { team: { name: $name } }) {
  __typename ... on Error { code message } } }`;
const deleteAndCreate = `mutation($name: String!, $other: String!) {
  one: deleteTeam(input: { team: { name: $name } }) { __typename ... on Error { code message } }
  two: createTeam(input: { name: $other }) { __typename ... on CreateTeamPayload { team { name } } } }`;
const createTeam = (name: string) => trellis.succeed('createTeam', { name }, 'team { uid }');
const rows = (sql: string) => trellis.services.db.query(sql, []);
const teamsNamed = async (name: string) =>
  Number((await rows(`SELECT count(*) FROM team WHERE name = '${name}'`))[0]![0]);
const storedKeys = async () => Number((await rows('SELECT count(*) FROM idempotency_key'))[0]![0]);

/** Runs a request whose answer is not stored, or whose storing commits without the process being told. */
async function withoutStoring(request: () => Promise<Answer>, isCommitted: boolean): Promise<Answer> {
  const { db, seal } = trellis.services;
  const { close } = seal;
  const { transaction } = db;
  seal.close = (plain) => {
    if (!plain.startsWith('{"status":')) return close(plain);
    if (!isCommitted) throw new Error('The answer is not stored.');
    db.transaction = async (work) => {
      db.transaction = transaction;
      await transaction(work);
      throw new UnavailableError('The connection was lost.');
    };
    return close(plain);
  };
  return request().finally(() => {
    seal.close = close;
  });
}

describe('an answer that is not stored', () => {
  it.each([
    ['is not sent', false],
    ['is not sent if nobody knows whether it is', true],
  ])('%s, so that all answers are the same', async (_, isCommitted) => {
    const name = unique('team');
    const key = unique('key');
    const query = `mutation($name: String!) { createTeam(input: { name: $name }) {
      ... on CreateTeamPayload { team { uid name } } } }`;
    const request = () => graphql(key, query, { name });
    const first = await withoutStoring(request, isCommitted);
    expect([first.status, first.body.errors[0].extensions.code]).toEqual([503, 'UNAVAILABLE']);
    const second = await request();
    expect(second.body.data.createTeam.team.name).toBe(name);
    const third = await request();
    expect([third.text, isReplayed(second), isReplayed(third)]).toEqual([second.text, true, true]);
    expect(await teamsNamed(name)).toBe(1);

    const restKey = unique('key');
    const open = () => rest(restKey, 'POST', ports, { port: isCommitted ? 91 : 90, protocol: 'http' });
    const refused = await withoutStoring(open, isCommitted);
    expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
    const opened = await open();
    expect([opened.status, (await open()).text]).toEqual([200, opened.text]);
  });

  it('does not say that a change was refused which a repetition makes', async () => {
    const name = unique('team');
    const key = unique('key');
    const first = await withoutStoring(() => graphql(key, deleteTeam, { name }), false);
    expect([first.status, first.body.data]).toEqual([503, undefined]);
  });
});

describe('a refusal beside a failure that may pass', () => {
  it('stays, although the other change is made by a repetition', async () => {
    const [name, other, key] = [unique('team'), unique('team'), unique('key')];
    const request = () => graphql(key, deleteAndCreate, { name, other });
    const { db } = trellis.services;
    const { transaction } = db;
    db.transaction = (work, signal) =>
      signal ? Promise.reject(new UnavailableError('Later.')) : transaction(work, signal);
    const first = await request().finally(() => {
      db.transaction = transaction;
    });
    expect(first.body.errors[0]).toMatchObject({ path: ['two'], extensions: { code: 'UNAVAILABLE' } });
    await createTeam(name);
    const second = await request();
    expect(second.body.data).toMatchObject({ one: { code: 'NOT_FOUND' }, two: { team: { name: other } } });
    expect([await teamsNamed(name), await teamsNamed(other)]).toEqual([1, 1]);
    expect((await request()).text).toBe(second.text);
  });
});

describe('a large answer', () => {
  const longAliases = (field: string) =>
    Array.from({ length: 1_200 }, (_, each) => `${'a'.repeat(40)}${each}: ${field}`).join(' ');
  const aliases = Array.from({ length: 1_200 }, (_, each) => `a${each}: name`).join(' ');

  it('is made again, and repeats neither changes nor refusals', async () => {
    const [name, key] = [unique('team'), unique('key')];
    const long = unique('x'.repeat(50));
    const query = `mutation($name: String!, $missing: String!) {
      made: createTeam(input: { name: $name }) { ... on CreateTeamPayload { team { ${aliases} } } }
      refused: deleteTeam(input: { team: { name: $missing } }) { ... on NotFoundError { code message } } }`;
    const request = () => graphql(key, query, { name: long, missing: name });
    const first = await request();
    expect(first.text.length).toBeGreaterThan(65_536);
    expect(first.body.data.refused.code).toBe('NOT_FOUND');
    await createTeam(name);
    const again = await request();
    expect([again.text, isReplayed(first), isReplayed(again)]).toEqual([first.text, false, true]);
    expect([await teamsNamed(name), await teamsNamed(long)]).toEqual([1, 1]);
    const [[stored]] = (await rows(
      'SELECT max(length(sealed_answer)), max(stored_bytes) FROM idempotency_key',
    )) as [[number]];
    expect(Number(stored)).toBeLessThan(10_000);
  });

  it('is not made again for those who may no longer see its object', async () => {
    const [own, other] = [await trellis.createApplication(place), await trellis.createApplication(place)];
    const { token, email } = await trellis.createPerson();
    const member = { team: { teamId: place.team.teamId }, user: { email }, role: 'DEVELOPER' };
    const [first, both] = [[{ appId: own.appId }], [own, other].map(({ appId }) => ({ appId }))];
    await trellis.succeed('addTeamMember', { ...member, applications: both }, '__typename');
    const fields = Array.from({ length: 800 }, (_, index) => `note${index}: note`).join(' ');
    const note = 'x'.repeat(100);
    const query = `mutation($appId: Int!, $note: String) {
      updateApplication(input: { application: { appId: $appId }, note: $note }) {
        __typename ... on Error { code message } ... on UpdateApplicationPayload { application { ${fields} } } } }`;
    const keys = new Map([own, other].map(({ appId }) => [appId, unique('key')]));
    const update = async ({ appId }: { appId: number }) =>
      (await graphql(keys.get(appId)!, query, { appId, note }, { token })).body.data.updateApplication;
    for (const each of [own, other]) expect((await update(each)).application.note0).toBe(note);
    await trellis.succeed('changeTeamMemberRole', { ...member, applications: first }, '__typename');
    expect(await update(other)).toMatchObject({ code: 'NOT_FOUND' });
    expect((await update(own)).application.note0).toBe(note);
  });

  it('is not made again for those who may no longer see another object in it', async () => {
    const [own, other] = [await trellis.createApplication(place), await trellis.createApplication(place)];
    const [component, dependency] = [
      await trellis.createComponent(own.appId),
      await trellis.createComponent(other.appId),
    ].map(({ componentId }) => ({ componentId }));
    const { token, email } = await trellis.createPerson();
    const member = { team: { teamId: place.team.teamId }, user: { email }, role: 'DEVELOPER' };
    const [first, both] = [[{ appId: own.appId }], [own, other].map(({ appId }) => ({ appId }))];
    await trellis.succeed('addTeamMember', { ...member, applications: both }, '__typename');
    const query = `mutation($input: AddDependencyInput!) { addDependency(input: $input) {
      __typename ... on Error { code message }
      ... on AddDependencyPayload { component { ${longAliases('image')} } dependency { description } } } }`;
    const [key, input] = [unique('key'), { component, dependency }];
    const add = async () => (await graphql(key, query, { input }, { token })).body.data.addDependency;
    expect((await add()).dependency).toEqual({ description: null });
    await trellis.succeed('changeTeamMemberRole', { ...member, applications: first }, '__typename');
    await trellis.succeed('updateComponent', { component: dependency, description: 'later' }, '__typename');
    expect(await add()).toEqual({
      __typename: 'NotFoundError',
      code: 'NOT_FOUND',
      message: 'There is no such object.',
    });
  });

  it('is made again with what the change has made, for those who do not see it otherwise', async () => {
    const team = { teamId: place.team.teamId };
    const region = await trellis.createRegion({ driver: 'KUBERNETES', cluster: {} });
    await trellis.succeed('openTeamRegion', { team, region: { regionId: region.regionId } }, '__typename');
    const { appId } = await trellis.createApplication({ ...place, region });
    await trellis.createComponent(appId, { deploy: true });
    const settings = { application: { appId }, previews: { most: 1 } };
    await trellis.succeed('updateApplication', settings, '__typename');
    const grants = [{ actions: ['OPEN_PREVIEW', 'CLOSE_PREVIEW'], application: { appId } }];
    const { secret } = await trellis.succeed('createAccessToken', { name: unique('t'), grants }, 'secret');
    const query = `mutation($input: OpenPreviewInput!) { openPreview(input: $input) {
      __typename ... on Error { code message }
      ... on OpenPreviewPayload { job { uid } preview { ${longAliases('key')} } } } }`;
    const [key, input] = [unique('key'), { application: { appId }, key: `pr-${'1'.repeat(30)}` }];
    const open = () => graphql(key, query, { input }, { token: secret });
    const first = await open();
    expect(first.text.length).toBeGreaterThan(65_536);
    expect(first.body.data.openPreview.job).toEqual({ uid: expect.any(Number) });
    const again = await open();
    expect([again.text, isReplayed(again)]).toEqual([first.text, true]);
  });

  it('is not made again for those who have left the team', async () => {
    const { teamId } = await trellis.createTeam();
    const { token, userId } = await trellis.createMember(teamId, 'DEVELOPER');
    const query = `mutation($input: RemoveTeamMemberInput!) { removeTeamMember(input: $input) {
      __typename ... on Error { code message } ... on RemoveTeamMemberPayload { team { ${longAliases('name')} } } } }`;
    const [key, input] = [unique('key'), { team: { teamId }, user: { userId } }];
    const leave = async () => (await graphql(key, query, { input }, { token })).body.data.removeTeamMember;
    expect((await leave()).__typename).toBe('RemoveTeamMemberPayload');
    expect(await leave()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of a dry run is made by another one', async () => {
    const name = unique('x'.repeat(50));
    const { team } = await createTeam(name);
    const key = unique('key');
    const query = `mutation($teamId: String!) { deleteTeam(input: { team: { teamId: $teamId }, dryRun: true }) {
      ... on DeleteTeamPayload { team { ${aliases} } plan { action } } } }`;
    const request = () => graphql(key, query, { teamId: team.uid });
    const first = await request();
    expect(first.body.errors).toBeUndefined();
    expect(first.text.length).toBeGreaterThan(65_536);
    const again = await request();
    expect([again.text, isReplayed(again)]).toEqual([first.text, true]);
    expect(await teamsNamed(name)).toBe(1);
  });
});

describe('a request that is refused before it does anything', () => {
  it('stores nothing', async () => {
    const viewer = await trellis.createMember(place.team.teamId, 'VIEWER');
    const before = await storedKeys();
    const { token } = viewer;
    const refusals = [
      await graphql(unique('key'), deleteTeam, { name: place.team.name }, { token }),
      await graphql(unique('key'), deleteTeam, { name: 7 }),
      await graphql(
        unique('key'),
        'mutation { createTeam(input: { name: "\\u0007" }) { ... on Error { code } } }',
        {},
      ),
      await rest(unique('key'), 'POST', ports, { port: 0, protocol: 'http' }),
    ];
    const codeOf = ({ body }: Answer) =>
      body.code ?? body.errors?.[0].extensions.code ?? (Object.values(body.data)[0] as { code: string }).code;
    expect(refusals.map(codeOf)).toEqual(['FORBIDDEN', 'INVALID_INPUT', 'INVALID_INPUT', 'INVALID_INPUT']);
    expect(refusals.some(isReplayed)).toBe(false);
    expect(await storedKeys()).toBe(before);
  });
});

describe('what is stored for a user', () => {
  let app: App;
  let url: string;
  let person: { token: string };
  beforeEach(async () => {
    person = await trellis.createPerson();
  });
  afterAll(() => app?.stop(1_000));
  const createToken = `mutation($name: String!) { createAccessToken(input: { name: $name }) {
    ... on CreateAccessTokenPayload { secret } ... on Error { code message } } }`;
  const start = async (idempotency: { maxKeys?: number; maxBytes?: number }) => {
    await app?.stop(1_000);
    app = createApp(trellis.services, { graphiql: false, bodyLimitBytes: 100_000, idempotency });
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(app.address() as { port: number }).port}`;
  };

  it.each([
    ['number', { maxKeys: 2 }],
    ['size', { maxBytes: 1_000 }],
  ])('has a bound in %s, with all tokens', async (_, bounds) => {
    await start(bounds);
    const known: [string, Answer][] = [];
    let token = person.token;
    let refused: Answer | undefined;
    for (let each = 0; !refused; each++) {
      const key = unique('key');
      const answer = await graphql(key, createToken, { name: `t${each}` }, { token, url });
      if (answer.body.data) known.push([key, answer]);
      else refused = answer;
      if (each === 0) token = answer.body.data.createAccessToken.secret;
      expect(each).toBeLessThan(10);
    }
    expect(known.length).toBeGreaterThan(1);
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    const [key, answer] = known.at(-1)!;
    const again = await graphql(key, createToken, { name: `t${known.length - 1}` }, { token, url });
    expect([again.text, isReplayed(again)]).toEqual([answer.text, true]);
    const other = await trellis.createPerson();
    const others = await graphql(unique('key'), createToken, { name: 'o' }, { token: other.token, url });
    expect(others.body.data.createAccessToken.secret).toBeTruthy();
    const without = await send(
      { url, adminToken: token },
      { body: JSON.stringify({ query: createToken, variables: { name: 'w' } }) },
    );
    expect(without.body.data.createAccessToken.secret).toBeTruthy();
  });
});
