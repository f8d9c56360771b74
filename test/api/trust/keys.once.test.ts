import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpTokenIssuers } from '../../../src/drivers/token-issuer/http.ts';
import { keyLimits } from '../../../src/drivers/token-issuer/keys.ts';
import { TokenExchangeError, UnavailableError } from '../../../src/kernel/errors.ts';
import type { All } from '../../support/fixtures.ts';
import {
  audience,
  createAccount,
  exchange,
  exchanged,
  newKey,
  startIssuer,
  type TestIssuer,
  trust,
} from '../../support/token-issuer.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';

let issuer: TestIssuer;
beforeEach(async () => {
  issuer = await startIssuer('ES256');
});
afterEach(() => issuer.close());

const documents = ['/.well-known/openid-configuration', '/keys'];

describe('keys of issuers', () => {
  const open: { close(): Promise<void> }[] = [];
  const driver = (options: Partial<Parameters<typeof createHttpTokenIssuers>[0]> = {}) => {
    const issuers = createHttpTokenIssuers({ allowPrivate: true, ...options });
    open.push(issuers);
    return async (token: string) => (await issuers.check(await issuers.read(token), 'team')).claims;
  };
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  it('are read once, by many requests, and cached', async () => {
    const check = driver();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => issuer.token()));
    await Promise.all(tokens.map(check));
    await check(await issuer.token());
    expect(issuer.asked).toEqual(documents);
  });

  it('are read again after a while', async () => {
    const check = driver({ keys: { cacheMs: 1 } });
    await check(await issuer.token());
    issuer.published = [];
    await expect.poll(async () => check(await issuer.token()).catch(String)).toContain('No service account');
  });

  it('can be replaced: an unknown key is asked for once, and at most once a minute', async () => {
    const check = driver();
    await check(await issuer.token());
    const next = await newKey('ES256');
    issuer.published = [next.publicKey];
    const tokens = await Promise.all(Array.from({ length: 5 }, () => issuer.token({}, { key: next })));
    await Promise.all(tokens.map(check));
    expect(issuer.asked).toEqual([...documents, ...documents]);
    await expect(check(await issuer.token())).rejects.toThrow(TokenExchangeError);
    const later = await newKey('ES256');
    issuer.published.push(later.publicKey);
    await expect(check(await issuer.token({}, { key: later }))).rejects.toThrow(TokenExchangeError);
    expect(issuer.asked).toHaveLength(4);
    await check(await issuer.token({}, { key: next }));
  });

  it('stay known if the issuer fails when it is asked for another one', async () => {
    const check = driver();
    await check(await issuer.token());
    issuer.answer = (_, response) => void response.writeHead(500).end();
    await expect(check(await issuer.token({}, { key: await newKey('ES256') }))).rejects.toThrow(
      UnavailableError,
    );
    await check(await issuer.token());
  });

  it.each<[string, (response: ServerResponse, path: string) => void]>([
    ['an error', (response) => response.writeHead(500).end()],
    ['404', (response) => response.writeHead(404).end()],
    ['no JSON', (response) => response.writeHead(200).end('<html>')],
    [
      'another issuer',
      (response) => response.end('{"issuer":"https://other.example","jwks_uri":"https://x"}'),
    ],
    [
      'an address of keys that is no http',
      (response) => response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: 'file:///etc/passwd' })),
    ],
    [
      'no keys',
      (response, path) =>
        response.end(
          path === '/keys' ? '{}' : JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }),
        ),
    ],
    ['a redirect', (response, path) => response.writeHead(302, { Location: `${path}/other` }).end()],
  ])('are not available if the issuer sends %s', async (_, answer) => {
    issuer.answer = (request, response) => void answer(response, request.url!);
    const check = driver({ limits: { retryDelaysMs: [] } });
    const failure = await check(await issuer.token()).catch((error) => error);
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure.message).toBe(
      'The keys of the issuer of the subject token are not available. Try again later.',
    );
    const { length } = issuer.asked;
    await expect(check(await issuer.token())).rejects.toThrow(UnavailableError);
    // A failure is not repeated at once.
    expect(issuer.asked).toHaveLength(length);
  });

  it('are not read from a host that the issuer redirects to', async () => {
    const other = await startIssuer();
    issuer.answer = (request, response) =>
      void response.writeHead(307, { Location: `${other.url}${request.url}` }).end();
    await expect(driver()(await issuer.token())).rejects.toThrow(UnavailableError);
    expect(other.asked).toEqual([]);
    await other.close();
  });

  it('are not read if they are 10 MB', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(65_536, '{"keys":[ ');
    issuer.answer = (_, response) => {
      const more = () => {
        if (sent >= 10_000_000 || response.destroyed) return void response.end();
        sent += chunk.length;
        response.write(chunk, more);
      };
      more();
    };
    const before = process.memoryUsage().rss;
    await expect(driver()(await issuer.token())).rejects.toThrow(UnavailableError);
    expect(sent).toBeLessThan(5_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000);
  });

  it('are not read from private addresses, nor without TLS, unless that is allowed', async () => {
    const issuers = createHttpTokenIssuers({ allowPrivate: false });
    open.push(issuers);
    expect(issuers.supports(issuer.url)).toBe(false);
    expect(issuers.supports('https://issuer.example')).toBe(true);
    expect(issuers.supports('file:///etc/passwd')).toBe(false);
    const tokens = [await issuer.token(), await issuer.token({ iss: issuer.url.replace('http', 'https') })];
    for (const token of tokens) {
      const failure = await issuers.check(await issuers.read(token), 'team').catch((error) => error);
      expect(failure).toBeInstanceOf(token === tokens[0] ? TokenExchangeError : UnavailableError);
    }
    expect(issuer.asked).toEqual([]);
  });

  it('are waited for by a limited number of requests', async () => {
    let fail = () => {};
    issuer.answer = (_, response) => {
      fail = () => void response.writeHead(404).end();
    };
    const check = driver({ limits: { callTimeoutMs: 600_000 } });
    const tokens = await Promise.all(Array.from({ length: keyLimits.waiting + 5 }, () => issuer.token()));
    let failed = 0;
    const checks = tokens.map((token) => check(token).catch(() => failed++));
    await expect.poll(() => issuer.asked).toHaveLength(1);
    await expect.poll(() => failed).toBe(5);
    fail();
    await Promise.all(checks);
    expect(failed).toBe(tokens.length);
    expect(issuer.asked).toHaveLength(1);
  });

  it('are read for one team after another one had no more reads', async () => {
    const issuers = createHttpTokenIssuers({ allowPrivate: true, keys: { callsOfGroup: 1, maxWaitMs: 50 } });
    open.push(issuers);
    const hanging = await startIssuer('ES256');
    hanging.answer = () => {};
    const late = issuers
      .read(await hanging.token())
      .then((read) => issuers.check(read, 'theirs'))
      .catch(() => {});
    const token = await issuers.read(await issuer.token());
    await expect(issuers.check(token, 'theirs')).rejects.toThrow('Too many requests wait');
    await issuers.check(token, 'ours');
    await hanging.close();
    await late;
  });

  it('of other issuers are read while many of one team hang', async () => {
    const issuers = createHttpTokenIssuers({ allowPrivate: true, limits: { callTimeoutMs: 5_000 } });
    open.push(issuers);
    const hanging = await Promise.all(Array.from({ length: 8 }, () => startIssuer('ES256')));
    for (const each of hanging) each.answer = () => {};
    const calls = hanging.map(async (each) =>
      issuers
        .read(await each.token())
        .then((read) => issuers.check(read, 'theirs'))
        .catch(() => {}),
    );
    await expect.poll(() => hanging.filter(({ asked }) => asked.length > 0)).toHaveLength(4);
    await issuers.check(await issuers.read(await issuer.token()), 'ours');
    for (const each of hanging) await each.close();
    await Promise.all(calls);
  });
});

describe('an issuer that hangs', () => {
  let all: All;
  // Longer than the other issuer takes on a busy machine.
  const trellis = useTrellis({ issuers: { limits: { callTimeoutMs: 5_000 } } });
  beforeAll(async () => {
    all = await trellis.createAll();
  });

  it('fails its own requests after the timeout, and no others', async () => {
    const other = await startIssuer('ES256');
    const [one, two] = [
      await createAccount(trellis, all.team.teamId),
      await createAccount(trellis, all.team.teamId),
    ];
    await trust(trellis, issuer, one);
    await trust(trellis, other, two);
    issuer.answer = () => {};
    const late = exchange(trellis, await issuer.token());
    await exchanged(trellis, await other.token());
    await trellis.data('{ viewer { __typename } }');
    const { status, headers, body } = await late;
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('10');
    expect(body).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'The keys of the issuer of the subject token are not available. Try again later.',
    });
    expect(
      trellis.logged.find(({ error }) => /did not respond within 5000 ms/.test(error?.message)),
    ).toBeDefined();
    await other.close();
  });

  it('is not contacted by adding a trust, which requires an https address', async () => {
    const strict = await startTrellis({ allowPrivateIssuers: false });
    const { team } = await strict.createAll();
    const serviceAccount = await createAccount(strict, team.teamId);
    const claims = [{ name: 'sub', pattern: 'x' }];
    const input = (url: string) => ({ serviceAccount, issuer: url, audience, claims });
    expect(await strict.attempt('addTrust', input(issuer.url))).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: ['input', 'issuer'], message: 'Must be an https URL' }],
    });
    // Only the connection tells that it is a private address.
    const hidden = issuer.url.replace('http:', 'https:');
    expect(await strict.attempt('addTrust', input(hidden))).toMatchObject({
      __typename: 'AddTrustPayload',
    });
    const answer = await exchange(strict, await issuer.token({ iss: hidden }));
    expect(answer.status).toBe(503);
    expect(issuer.asked).toEqual([]);
    await strict.close();
  });
});
