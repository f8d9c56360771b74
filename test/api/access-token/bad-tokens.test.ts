import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { send } from '../../support/send.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const query = JSON.stringify({ query: '{ viewer { isAdministrator } }' });

/** A token, and the row of it; it is not used yet: one that was accepted is for some seconds. */
async function issue() {
  const { secret, accessToken } = await trellis.succeed(
    'createAccessToken',
    { name: 'test' },
    'secret accessToken { tokenId: uid }',
  );
  return { secret, tokenId: accessToken.tokenId };
}

const bearer = (token: string) => `Bearer ${token}`;

/** Every way not to be known, as an Authorization header. */
const unknown: [title: string, header: () => Promise<string | undefined>][] = [
  ['no token', async () => undefined],
  ['an empty header', async () => ''],
  ['a scheme alone', async () => 'Bearer'],
  ['a token without a scheme', async () => trellis.adminToken],
  ['another scheme', async () => `Basic ${Buffer.from(`admin:${trellis.adminToken}`).toString('base64')}`],
  ['two tokens', async () => `${bearer(trellis.adminToken)} ${trellis.adminToken}`],
  ['a token in quotes', async () => `Bearer "${trellis.adminToken}"`],
  ['an unknown token', async () => bearer(`trl_${'x'.repeat(43)}`)],
  ['a long token', async () => bearer('x'.repeat(8_000))],
  ['a token cut short', async () => bearer(trellis.adminToken.slice(0, -1))],
  ['a token with one character more', async () => bearer(`${trellis.adminToken}x`)],
  ['a token in another case', async () => bearer(trellis.adminToken.toUpperCase())],
  ['a token that is no ASCII', async () => bearer('trl_\u00e9\u00e9')],
  ['SQL', async () => bearer("'OR'1'='1")],
  [
    'an expired token',
    async () => {
      const { accessToken, secret } = await trellis.succeed(
        'createAccessToken',
        { name: 'test' },
        'secret accessToken { tokenId: uid }',
      );
      const { tokenId } = accessToken;
      await trellis.services.db.transaction((tx) =>
        tx.accessToken.update({ where: { id: tokenId }, data: { expiresAt: new Date(Date.now() - 1) } }),
      );
      return bearer(secret);
    },
  ],
  [
    'a revoked token',
    async () => {
      const { secret, tokenId } = await issue();
      expect((await send(trellis, { body: query, token: secret })).status).toBe(200);
      await trellis.succeed('revokeAccessToken', { token: { tokenId } }, '__typename');
      return bearer(secret);
    },
  ],
  [
    'the token of an inactive user',
    async () => {
      // Not used before: a token that was is taken for accepted for a moment.
      const { token, userId } = await trellis.createPerson();
      await trellis.services.db.transaction((tx) =>
        tx.user.update({ where: { id: userId }, data: { isActive: false } }),
      );
      return bearer(token);
    },
  ],
];

describe('authentication', () => {
  it.each(unknown)('%s is 401, without saying why', async (_, header) => {
    const Authorization = await header();
    const before = await trellis.counts();
    for (const sent of [
      { body: query },
      { path: '/graphql?query=%7B__typename%7D' },
      { body: '{' },
      { body: 'x', headers: { 'Content-Type': 'text/plain' } },
    ]) {
      const headers = { ...sent.headers, Authorization, 'X-Request-Id': 'the-request' };
      const answer = await send(trellis, { ...sent, headers, token: null });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.headers['x-request-id']).toBe('the-request');
      expect(answer.body).toEqual({
        errors: [
          {
            message: 'A valid access token is required.',
            extensions: { code: 'UNAUTHENTICATED', requestId: 'the-request' },
          },
        ],
      });
      const kept = Object.keys(answer.headers).filter((name) => name !== 'date');
      expect(kept.sort()).toEqual([
        'cache-control',
        'connection',
        'content-length',
        'content-type',
        'vary',
        'www-authenticate',
        'x-content-type-options',
        'x-request-id',
      ]);
    }
    expect(await trellis.counts()).toEqual(before);
  });

  it('applies a removed right to later changes in the same request', async () => {
    const { secret, tokenId } = await issue();
    const document = `mutation {
      revokeAccessToken(input: { token: { tokenId: "${tokenId}" } }) { __typename }
      createTeam(input: { name: "after-the-end", alias: "x" }) { __typename }
    }`;
    const answer = await send(trellis, { body: JSON.stringify({ query: document }), token: secret });
    expect(JSON.stringify(answer.body)).toContain('UNAUTHENTICATED');
    const body = JSON.stringify({ query: '{ team(by: { name: "after-the-end" }) { name } }' });
    expect((await send(trellis, { body })).body.errors[0].extensions.code).toBe('NOT_FOUND');
  });

  it('accepts the scheme in any case, and extra spaces', async () => {
    for (const Authorization of [`bearer ${trellis.adminToken}`, `BEARER   ${trellis.adminToken}  `]) {
      const answer = await send(trellis, { body: query, headers: { Authorization }, token: null });
      expect(answer.status, Authorization).toBe(200);
    }
  });

  it('keeps the connection usable after a 401', async () => {
    for (const token of ['trl_nobody', trellis.adminToken, 'trl_nobody', trellis.adminToken]) {
      const response = await fetch(`${trellis.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: bearer(token) },
        body: query,
      });
      expect(response.status).toBe(token === trellis.adminToken ? 200 : 401);
      await response.text();
    }
  });
});

describe('secrets', () => {
  const credentials = {
    token: `cluster-${unique('secret')}`,
    caCertificate: `-----BEGIN ${unique('ca')}`,
    clientCertificate: `-----BEGIN ${unique('cert')}`,
    clientKey: `-----BEGIN ${unique('key')}`,
  };

  const regionInput = () => ({
    name: unique('region'),
    url: 'https://north.example',
    websocketUrl: 'wss://north.example',
    httpDomain: 'north.example',
    tcpDomain: 'north.example',
    credentials,
  });

  const expectNoSecretIn = (text: string, secrets: string[]) => {
    expect(text.length).toBeGreaterThan(100);
    for (const secret of secrets) expect(text).not.toContain(secret);
  };

  it('are never logged, whether a request succeeds or fails', async () => {
    const { secret } = await issue();
    const region = await trellis.createRegion({ credentials });
    await trellis.succeed('createAccessToken', { name: 'x' }, 'secret', secret);
    await trellis.attempt('createRegion', { ...regionInput(), name: region.name }, '__typename', secret);
    await trellis.attempt('createRegion', { ...regionInput(), name: 'NO' }, '__typename', secret);
    const wrong = 'mutation($i: CreateRegionInput!) { createRegion(input: $i) { __typename } }';
    await trellis.graphql(wrong, { i: { ...regionInput(), memoryMiB: 'many' } }, secret);
    await send(trellis, {
      path: `/graphql?query=${encodeURIComponent(`{ a(token: "${credentials.token}") }`)}`,
    });
    await send(trellis, { path: `/${secret}`, method: 'PUT', token: secret });
    const log = JSON.stringify(trellis.logged.filter(({ path }) => path !== `/${secret}`));
    expectNoSecretIn(log, [secret, trellis.adminToken, ...Object.values(credentials), 'Bearer']);
  });

  it('are returned to administrators only, and stored encrypted', async () => {
    const region = await trellis.createRegion({ credentials });
    const read = '{ credentials { token caCertificate clientCertificate clientKey } }';
    const by = { regionId: region.regionId };
    const { region: seen } = await trellis.data(`query($by: RegionRef!) { region(by: $by) ${read} }`, { by });
    expect(seen.credentials).toEqual(credentials);
    const rows = await trellis.services.db.query('SELECT * FROM region', []);
    expectNoSecretIn(JSON.stringify(rows), Object.values(credentials));
    const events = await trellis.services.db.query('SELECT * FROM event', []);
    expectNoSecretIn(JSON.stringify(events), [...Object.values(credentials), trellis.adminToken]);
  });

  it('are not logged with an unexpected failure, which is masked and logged with its request id', async () => {
    const rename = (from: string, to: string) =>
      trellis.services.db.transaction((tx) => tx.$executeRawUnsafe(`ALTER TABLE ${from} RENAME TO ${to}`));
    const before = await trellis.counts();
    const input = regionInput();
    await rename('event', 'event_away');
    let answer: Awaited<ReturnType<typeof send>>;
    try {
      answer = await send(trellis, {
        body: JSON.stringify({
          query: 'mutation($i: CreateRegionInput!) { createRegion(input: $i) { __typename } }',
          variables: { i: input },
        }),
      });
    } finally {
      await rename('event_away', 'event');
    }
    expect(await trellis.counts()).toEqual(before);
    const requestId = answer.headers['x-request-id'];
    expect(answer.body).toEqual({
      data: null,
      errors: [
        {
          message: 'An unexpected error occurred. The server log has details for the request id.',
          locations: expect.anything(),
          path: ['createRegion'],
          extensions: { code: 'INTERNAL', requestId },
        },
      ],
    });
    const found = trellis.logged.filter((line) => line.requestId === requestId && line.level >= 50);
    expect(found).toHaveLength(1);
    expect(found[0]!.error.stack).toBeTypeOf('string');
    expectNoSecretIn(JSON.stringify(trellis.logged), [...Object.values(credentials), trellis.adminToken]);
    await trellis.succeed('createRegion', input, '__typename');
  });
});
