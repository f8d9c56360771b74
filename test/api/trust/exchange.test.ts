import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import {
  type Account,
  audience,
  createAccount,
  exchange,
  exchanged,
  startIssuer,
  subject,
  type TestIssuer,
  trust,
} from '../../support/token-issuer.ts';
import {
  createMigratedDatabase,
  startTrellis,
  type TestDatabase,
  type Trellis,
} from '../../support/trellis.ts';

let database: TestDatabase;
let trellis: Trellis;
let second: Trellis;
let issuer: TestIssuer;
let all: All;
let account: Account;
let trusted: { trustId: string };
beforeAll(async () => {
  database = await createMigratedDatabase();
  trellis = await startTrellis({ database: { url: database.url } });
  second = await startTrellis({ database: { url: database.url } });
  issuer = await startIssuer();
  all = await trellis.createAll();
  account = await createAccount(trellis, all.team.teamId, 'DEVELOPER', 'pipeline');
  trusted = await trust(trellis, issuer, account);
});
afterAll(async () => {
  await Promise.all([trellis?.close(), second?.close(), issuer?.close()]);
  await database?.drop();
});

describe('a token of another issuer', () => {
  it('is exchanged for a token of the service account, for 15 minutes', async () => {
    const begun = Date.now();
    const { status, headers, body } = await exchange(trellis, await issuer.token());
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      access_token: expect.stringMatching(/^trl_/),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 900,
    });
    const { viewer } = await trellis.data(
      '{ viewer { user { uid } serviceAccount { name } accessToken { name expiresAt grants { actions } trust { uid } } } }',
      {},
      body.access_token,
    );
    expect(viewer).toMatchObject({
      user: null,
      serviceAccount: { name: 'pipeline' },
      accessToken: { name: subject, grants: null, trust: { uid: trusted.trustId } },
    });
    const expiresAt = Date.parse(viewer.accessToken.expiresAt);
    expect(expiresAt).toBeGreaterThanOrEqual(begun + 899_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 900_000);
  });

  it('may do what the service account may', async () => {
    const token = await exchanged(second, await issuer.token());
    const input = { component: { componentId: all.component.componentId } };
    await trellis.succeed('deployComponent', input, '__typename', token);
    const team = { team: { teamId: all.team.teamId } };
    const refused = await trellis.attempt(
      'createServiceAccount',
      { ...team, name: 'x', role: 'VIEWER' },
      '__typename',
      token,
    );
    expect(refused).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('may do what the grants of the trust allow', async () => {
    const narrow = await createAccount(trellis, all.team.teamId);
    const component = { componentId: all.component.componentId };
    await trust(trellis, issuer, narrow, {
      audience: 'narrow',
      grants: [{ actions: ['DEPLOY_COMPONENT'], component }],
    });
    const token = await exchanged(trellis, await issuer.token({ aud: 'narrow' }));
    await trellis.succeed('deployComponent', { component }, '__typename', token);
    expect(await trellis.attempt('stopComponent', { component }, '__typename', token)).toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('is recorded with its issuer and subject, by the service account', async () => {
    const secret = await issuer.token();
    const token = await exchanged(trellis, secret);
    const { viewer } = await trellis.data('{ viewer { accessToken { uid } } }', {}, token);
    const { events } = await trellis.data(
      'query Q($uid: String!) { events(objectUid: $uid) { nodes { action actor { __typename } team { name } changes { field before: oldValue after: newValue } } } }',
      { uid: viewer.accessToken.uid },
    );
    expect(events.nodes).toHaveLength(1);
    expect(events.nodes[0]).toMatchObject({
      action: 'access_token.exchange',
      actor: { __typename: 'ServiceAccount' },
      team: { name: all.team.name },
      changes: expect.arrayContaining([
        expect.objectContaining({ field: 'issuer', after: issuer.url }),
        expect.objectContaining({ field: 'subject', after: subject }),
      ]),
    });
    const record = JSON.stringify([events, trellis.logged]);
    for (const part of [...secret.split('.').slice(1), token]) expect(record).not.toContain(part);
  });

  once.each(['PS256', 'ES256', 'ES384', 'EdDSA'])('can be signed with %s', async (alg) => {
    const other = await startIssuer(alg);
    await trust(trellis, other, account);
    await exchanged(trellis, await other.token());
    await other.close();
  });

  once('needs no id and no type, and may have its audience in a list', async () => {
    await exchanged(trellis, await issuer.token({ jti: undefined, aud: [audience] }));
    await exchanged(trellis, await issuer.token({}, { typ: 'jwt' }));
  });
});

describe('a token that was exchanged', () => {
  it.each(['with an id', 'without an id'])('is refused, on every gateway: %s', async (kind) => {
    const claims = kind === 'with an id' ? {} : { jti: undefined, random: Math.random() };
    const token = await issuer.token(claims);
    await exchanged(trellis, token);
    for (const gateway of [trellis, second]) {
      expect(await exchange(gateway, token)).toMatchObject({
        status: 400,
        body: {
          error: 'invalid_request',
          error_description: 'The subject token was already exchanged. Get a new one.',
        },
      });
    }
  });

  it('is exchanged once by requests at the same time', async () => {
    const token = await issuer.token();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => exchange(index % 2 ? trellis : second, token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(400)]);
  });

  it('is refused with another encoding of its signature', async () => {
    const token = await issuer.token({ jti: undefined, random: Math.random() });
    await exchanged(trellis, token);
    // 256 bytes are 342 characters, of which the last has four bits that mean nothing.
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(token.at(-1)!) ^ 1]!;
    expect((await exchange(trellis, token.slice(0, -1) + last)).status).toBe(400);
  });
});

describe('several service accounts that match', () => {
  it('require that the request names one', async () => {
    const { teamId } = all.team;
    const [one, two] = [await createAccount(trellis, teamId), await createAccount(trellis, teamId)];
    const claims = [{ name: 'environment', pattern: 'several' }];
    for (const each of [one, two]) await trust(trellis, issuer, each, { audience: 'several', claims });
    const token = () => issuer.token({ aud: 'several', environment: 'several' });
    expect((await exchange(trellis, await token())).body).toEqual({
      error: 'invalid_target',
      error_description:
        'Several service accounts accept the subject token. Name one: send its id as audience.',
    });
    for (const { serviceAccountId } of [one, two]) {
      const secret = await exchanged(trellis, await token(), { audience: serviceAccountId });
      const { viewer } = await trellis.data('{ viewer { serviceAccount { uid } } }', {}, secret);
      expect(viewer.serviceAccount.uid).toBe(serviceAccountId);
    }
    const other = await exchange(trellis, await token(), { audience: account.serviceAccountId });
    expect(other).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  once('are not looked for among more than 1,000 trusts', async () => {
    const mine = await createAccount(trellis, all.team.teamId);
    await trust(trellis, issuer, mine, { audience: 'of many' });
    const theirs = await createAccount(trellis, all.team.teamId);
    const { trustId } = await trust(trellis, issuer, theirs, {
      audience: 'of many',
      grants: [{ actions: ['READ'] }],
    });
    const { db } = trellis.services;
    await db.transaction(async (tx) => {
      const other = await tx.trust.findUniqueOrThrow({ where: { id: trustId } });
      const claims = JSON.stringify([{ name: 'sub', pattern: 'other' }]);
      for (let index = 0; index < 999; index++) {
        await tx.trust.create({ data: { ...other, claims, id: `many${index}` } });
      }
    });
    const token = () => issuer.token({ aud: 'of many' });
    expect((await exchange(trellis, await token())).body).toMatchObject({ error: 'invalid_target' });
    await exchanged(trellis, await token(), { audience: mine.serviceAccountId });
  });

  it('do not matter if they are two trusts of one', async () => {
    const one = await createAccount(trellis, all.team.teamId);
    const claims = [{ name: 'sub', pattern: 'repo:shop/*' }];
    const first = await trust(trellis, issuer, one, { audience: 'one' });
    await trust(trellis, issuer, one, { audience: 'one', claims });
    const secret = await exchanged(trellis, await issuer.token({ aud: 'one' }));
    const { viewer } = await trellis.data('{ viewer { accessToken { trust { uid } } } }', {}, secret);
    expect(viewer.accessToken.trust.uid).toBe(first.trustId);
  });
});

describe('a trust that is removed', () => {
  it('takes along its tokens, and refuses others', async () => {
    const one = await createAccount(trellis, all.team.teamId);
    const removed = await trust(trellis, issuer, one, { audience: 'removed' });
    const kept = await trust(trellis, issuer, one, { audience: 'kept' });
    const secret = await exchanged(trellis, await issuer.token({ aud: 'removed' }));
    const other = await exchanged(trellis, await issuer.token({ aud: 'kept' }));
    const input = { trust: removed };
    const { plan } = await trellis.succeed('removeTrust', { ...input, dryRun: true }, 'plan { action }');
    expect(plan).toEqual([{ action: 'access_token.revoke' }, { action: 'trust.remove' }]);
    expect(await trellis.succeed('removeTrust', input, 'plan { action }')).toMatchObject({ plan });
    for (const gateway of [trellis, second]) {
      await expect
        .poll(async () => (await gateway.graphql('{ viewer { __typename } }', {}, secret)).errors)
        .toBeDefined();
    }
    expect((await exchange(trellis, await issuer.token({ aud: 'removed' }))).status).toBe(400);
    await trellis.data('{ viewer { __typename } }', {}, other);
    expect(kept.trustId).not.toBe(removed.trustId);
    expect(await trellis.attempt('removeTrust', input)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('goes with its service account', async () => {
    const one = await createAccount(trellis, all.team.teamId);
    await trust(trellis, issuer, one, { audience: 'gone' });
    const secret = await exchanged(trellis, await issuer.token({ aud: 'gone' }));
    const { plan } = await trellis.succeed(
      'deleteServiceAccount',
      { serviceAccount: one },
      'plan { action }',
    );
    expect(plan.map(({ action }: { action: string }) => action)).toEqual([
      'access_token.revoke',
      'trust.remove',
      'service_account.delete',
    ]);
    expect((await trellis.graphql('{ viewer { __typename } }', {}, secret)).errors).toBeDefined();
    expect((await exchange(trellis, await issuer.token({ aud: 'gone' }))).status).toBe(400);
  });
});

describe('exchanged tokens', () => {
  it('do not count to the 100 tokens of a service account, and have a limit of their own', async () => {
    const one = await createAccount(trellis, all.team.teamId);
    const { trustId } = await trust(trellis, issuer, one, { audience: 'many' });
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + 60_000);
    const row = (id: number) => ({
      id: `many-${id}`,
      hash: `many-${id}`,
      name: 'many',
      serviceAccountId: one.serviceAccountId,
      trustId,
      createdAt,
      expiresAt,
    });
    const insert = (from: number, to: number) =>
      trellis.services.db.transaction((tx) =>
        tx.accessToken.createMany({ data: Array.from({ length: to - from }, (_, at) => row(from + at)) }),
      );
    await insert(0, 999);
    await trellis.succeed('createAccessToken', { name: 'own', serviceAccount: one }, '__typename');
    await exchanged(trellis, await issuer.token({ aud: 'many' }));
    const token = await issuer.token({ aud: 'many' });
    const refused = await exchange(trellis, token);
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(refused.headers['retry-after']).toBe('60');
    // The token was not used up.
    await trellis.services.db.transaction((tx) =>
      tx.accessToken.updateMany({ where: { name: 'many' }, data: { expiresAt: createdAt } }),
    );
    await exchanged(trellis, token);
  });

  it('are deleted after they have expired, as is what was remembered of them', async () => {
    const gateway = await startTrellis({ database: { url: database.url } });
    const { db } = gateway.services;
    const past = new Date(Date.now() - 1_000);
    await db.transaction(async (tx) => {
      await tx.accessToken.updateMany({ where: { trustId: { not: null } }, data: { expiresAt: past } });
      await tx.exchangedToken.updateMany({ data: { expiresAt: past } });
    });
    await exchanged(gateway, await issuer.token());
    await expect
      .poll(async () => {
        const { access_token: tokens, exchanged_token: used } = await gateway.counts();
        return { used, isSmall: tokens! < 20 };
      })
      .toEqual({ used: 1, isSmall: true });
    await gateway.close();
  });
});
