import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { schema } from '../../../src/api.ts';
import { deprecate } from '../../support/deprecations.ts';
import type { Person } from '../../support/fixtures.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/identity-provider.ts';
import { connectMcp } from '../../support/mcp.ts';
import { operationNamed } from '../../support/operations.ts';
import { callRest } from '../../support/operations-rest.ts';
import { send } from '../../support/send.ts';
import { CookieClient, inSession, signIn } from '../../support/sign-in.ts';
import { subscribe, until } from '../../support/subscribe.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let idp: TestIdentityProvider;
let counted: [string | null, readonly string[]][];
beforeAll(async () => {
  deprecate(
    schema,
    'Team.isActive',
    'Application.appType',
    'EventChange.newValue',
    'JobKind.RESTART',
    'Query.applications(state:)',
    'Query.components(desiredState:)',
    'UpdateHttpRuleInput.rewriteRules',
  );
  idp = await startIdentityProvider();
  trellis = await startTrellis({
    identity: idp.driver(),
    deprecatedUses: { everyMs: 20 },
    trustedDocuments: [{ id: 'old-names', text: '{ teams { nodes { isActive } } }' }],
  });
  idp.serve(trellis.url);
  const count = vi.spyOn(trellis.services.deprecatedUses!, 'count');
  counted = count.mock.calls;
});
afterAll(async () => {
  await trellis?.close();
  await idp?.close();
});

const own = '{ viewer { accessToken { deprecatedUses { field count lastUsedAt } } } }';

async function usesOf({ token }: Pick<Person, 'token'>): Promise<Record<string, number>> {
  const { viewer } = await trellis.data(own, {}, token);
  const uses: { field: string; count: number }[] = viewer.accessToken.deprecatedUses;
  expect(uses.map(({ field }) => field)).toEqual(uses.map(({ field }) => field).sort());
  return Object.fromEntries(uses.map(({ field, count }) => [field, count]));
}

/** What a new token has used after some requests with it. */
async function usesAfter(work: (person: Person) => Promise<unknown>): Promise<Record<string, number>> {
  const person = await trellis.createPerson();
  await work(person);
  // Counted after what the requests have used, and so written with it or later.
  await trellis.data('{ applications { nodes { appType } } }', {}, person.token);
  let uses: Record<string, number> = {};
  await vi.waitFor(async () => {
    uses = await usesOf(person);
    expect(uses).toHaveProperty('Application.appType', 1);
  });
  delete uses['Application.appType'];
  return uses;
}

const requests = (...documents: string[]) =>
  usesAfter(async ({ token }) => {
    for (const document of documents) await trellis.graphql(document, {}, token);
  });

describe('AccessToken.deprecatedUses', () => {
  it('counts each request that uses a field once', async () => {
    const document = 'query($no: Boolean = false) { teams { nodes { isActive also: isActive ...More } } }';
    const used = `${document} fragment More on Team { again: isActive @include(if: $no) }`;
    expect(await requests(used, used, '{ teams { nodes { name } } }')).toEqual({ 'Team.isActive': 2 });
  });

  it('has the time of the last request', async () => {
    const person = await trellis.createPerson();
    const before = new Date().toISOString();
    await trellis.data('{ teams { nodes { isActive } } }', {}, person.token);
    await vi.waitFor(async () => expect(await usesOf(person)).toEqual({ 'Team.isActive': 1 }));
    const { viewer } = await trellis.data(own, {}, person.token);
    expect(viewer.accessToken.deprecatedUses[0].lastUsedAt >= before).toBe(true);
  });

  it('counts arguments, with literals and variables', async () => {
    expect(
      await usesAfter(({ token }) =>
        trellis.data('query($s: ApplicationState) { applications(state: $s) { totalCount } }', {}, token),
      ),
    ).toEqual({ 'Query.applications(state:)': 1 });
    expect(await requests('{ components(desiredState: STOPPED) { totalCount } }')).toEqual({
      'Query.components(desiredState:)': 1,
    });
  });

  it('counts values in documents and in variables', async () => {
    const { team } = await trellis.createPlace();
    const document =
      'query($by: TeamRef!, $kind: JobKind) { team(by: $by) { jobs(kind: $kind) { totalCount } } }';
    const literal = document.replace('$kind: JobKind', '').replace('$kind', 'RESTART');
    const variables = { by: { teamId: team.teamId } };
    const uses = await usesAfter(async ({ token }) => {
      await trellis.graphql(literal, variables, token);
      await trellis.graphql(document, { ...variables, kind: 'RESTART' }, token);
      await trellis.graphql(document, { ...variables, kind: 'DEPLOY' }, token);
      await trellis.graphql(document, variables, token);
    });
    expect(uses).toEqual({ 'JobKind.RESTART': 2 });
  });

  const input = { rule: { id: 'nothing' }, rewriteRules: [] };
  const field = { 'UpdateHttpRuleInput.rewriteRules': 1 };

  it('counts fields of inputs, whether the request succeeds or not', async () => {
    const literal =
      'mutation { updateHttpRule(input: { rule: { id: "x" }, rewriteRules: [] }) { __typename } }';
    expect(await requests(literal)).toEqual(field);
    expect(
      await usesAfter(async ({ token }) => {
        expect((await trellis.attempt('updateHttpRule', input, '__typename', token)).code).toBe('NOT_FOUND');
      }),
    ).toEqual(field);
  });

  it('counts the operations of REST and the tools, and trusted documents', async () => {
    expect(
      await usesAfter(async ({ token }) => {
        const answer = await callRest(trellis, operationNamed('update_http_rule'), input, { token });
        expect(answer.status).toBe(404);
      }),
    ).toEqual(field);
    expect(
      await usesAfter(async ({ token }) => {
        const mcp = await connectMcp(trellis, token, 'all');
        await mcp.call('update_http_rule', input);
        await mcp.close();
      }),
    ).toEqual(field);
    expect(
      await usesAfter(({ token }) =>
        send(trellis, { token, body: JSON.stringify({ documentId: 'old-names' }) }),
      ),
    ).toEqual({ 'Team.isActive': 1 });
  });

  it('counts the operation that is executed, and a subscription once', async () => {
    const team = await trellis.createTeam();
    const document = 'query A { teams { nodes { isActive } } } query B { teams { nodes { name } } }';
    expect(
      await usesAfter(({ token }) =>
        send(trellis, { token, body: JSON.stringify({ query: document, operationName: 'B' }) }),
      ),
    ).toEqual({});
    const { token } = await trellis.createPerson({ isAdministrator: true });
    const items = await subscribe(
      trellis,
      'subscription($team: TeamRef!) { events(team: $team) { action changes { field newValue } } }',
      { variables: { team: { teamId: team.teamId } }, token },
    );
    expect(await items.hasBegun).toBe(true);
    for (const alias of ['One', 'Two'])
      await trellis.succeed('updateTeam', { team: { teamId: team.teamId }, alias }, '__typename');
    await until(items, ({ data }) => JSON.stringify(data).includes('Two'));
    items.close();
    await vi.waitFor(async () => expect(await usesOf({ token })).toEqual({ 'EventChange.newValue': 1 }));
  });

  it('counts no document that is refused', async () => {
    expect(await requests('{ teams { nodes { isActive nothing } } }', '{ teams {')).toEqual({});
  });

  it('counts nothing for a token without which a session authenticates', async () => {
    const client = new CookieClient();
    expect((await signIn(trellis, client, 'alice')).status).toBe(303);
    const { body } = await inSession(
      trellis,
      client,
      '{ teams { nodes { isActive } } viewer { accessToken { uid } } }',
    );
    expect(body).toEqual({ data: { teams: { nodes: [] }, viewer: { accessToken: null } } });
    expect(counted.at(-1)).toEqual([null, ['Team.isActive']]);
  });

  it('is that of each token, and is deleted with it', async () => {
    const { team } = await trellis.createPlace();
    const account = await trellis.succeed(
      'createServiceAccount',
      { team: { teamId: team.teamId }, name: 'robot', role: 'VIEWER' },
      'serviceAccount { uid }',
    );
    const serviceAccountId = account.serviceAccount.uid;
    const [one, two] = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const made = await trellis.succeed(
          'createAccessToken',
          { name, serviceAccount: { serviceAccountId } },
          'secret',
        );
        return { token: made.secret as string };
      }),
    );
    const isActive = '{ teams { nodes { isActive } } }';
    await trellis.data(isActive, {}, one!.token);
    await trellis.data(isActive, {}, two!.token);
    await trellis.data('{ applications { nodes { appType } } }', {}, two!.token);
    await vi.waitFor(async () => {
      expect(await usesOf(one!)).toEqual({ 'Team.isActive': 1 });
      expect(await usesOf(two!)).toEqual({ 'Application.appType': 1, 'Team.isActive': 1 });
    });
    const rows = (await trellis.counts()).deprecated_use!;
    await trellis.succeed('deleteServiceAccount', { serviceAccount: { serviceAccountId } }, '__typename');
    expect((await trellis.counts()).deprecated_use).toBe(rows - 3);
  });
});

describe('counts of deprecated uses', () => {
  /** A gateway that writes when it is told to stop, and how often its administrator has used a field. */
  async function startIdle(most = 100) {
    const own = await startTrellis({ deprecatedUses: { everyMs: 3_600_000, most } });
    const uses = own.services.deprecatedUses!;
    const { uid } = (await own.data('{ viewer { accessToken { uid } } }')).viewer.accessToken;
    const written = async (): Promise<{ field: string; count: number }[]> =>
      (await own.data('{ viewer { accessToken { deprecatedUses { field count } } } }')).viewer.accessToken
        .deprecatedUses;
    return { ...own, uses, uid, written };
  }

  it('are written when the gateway stops, without those of tokens that are gone', async () => {
    const { uses, uid, written, close } = await startIdle();
    uses.count(uid, ['Team.isActive']);
    uses.count('gone', ['Team.isActive']);
    uses.count(uid, ['Team.isActive']);
    expect(await written()).toEqual([]);
    await uses.stop(5_000);
    expect(await written()).toEqual([{ field: 'Team.isActive', count: 2 }]);
    await close();
  });

  it('are bounded in memory and in number', async () => {
    const { services, uses, uid, written, close } = await startIdle(1);
    const row = { tokenId: uid, field: 'A.a', count: 2 ** 31 - 2, lastUsedAt: new Date() };
    await services.db.transaction((tx) => tx.deprecatedUse.create({ data: row }));
    for (const field of ['A.a', 'A.b', 'A.a']) uses.count(uid, [field]);
    await uses.stop(5_000);
    expect(await written()).toEqual([{ field: 'A.a', count: 2 ** 31 - 1 }]);
    await close();
  });
});
