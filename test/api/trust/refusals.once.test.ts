import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import { exportSPKI, importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { All } from '../../support/fixtures.ts';
import {
  type Account,
  audience,
  createAccount,
  exchange,
  exchanged,
  newKey,
  startIssuer,
  subject,
  type TestIssuer,
  trust,
} from '../../support/token-issuer.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let issuer: TestIssuer;
let stranger: TestIssuer;
let account: Account;
let all: All;
beforeAll(async () => {
  trellis = await startTrellis();
  [issuer, stranger] = [await startIssuer(), await startIssuer()];
  all = await trellis.createAll();
  account = await createAccount(trellis, all.team.teamId);
  await trust(trellis, issuer, account);
});
afterAll(async () => {
  await Promise.all([trellis?.close(), issuer?.close(), stranger?.close()]);
});

const now = () => Math.floor(Date.now() / 1000);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (): JWTPayload => ({
  iss: issuer.url,
  aud: audience,
  sub: subject,
  iat: now(),
  exp: now() + 300,
});

const noTrust =
  'No service account accepts the subject token: its issuer, audience, claims or signature do not match a trust.';
const notAccepted = (why: string) => `The subject token is not accepted: ${why}.`;

/** Why a token is refused, which leaves nothing behind but an event. */
async function refusal(token: string): Promise<string> {
  const before = await trellis.counts();
  const { status, headers, body } = await exchange(trellis, token);
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_request' });
  expect(headers['cache-control']).toBe('no-store');
  const { event: _, ...after } = await trellis.counts();
  expect(before).toMatchObject(after);
  return body.error_description;
}

describe('a token is refused', () => {
  it('with the signature of another key', async () => {
    const key = await newKey('RS256', issuer.key.kid);
    expect(await refusal(await issuer.token({}, { key }))).toBe(noTrust);
  });

  it('with a claim that was changed after it was signed', async () => {
    const [header, , signature] = (await issuer.token({ sub: 'repo:other/web:x' })).split('.');
    expect(await refusal([header, encode(claims()), signature].join('.'))).toBe(noTrust);
  });

  it.each(['none', 'None', 'nOnE'])('without a signature: alg %s', async (alg) => {
    for (const signature of ['', 'AAAA']) {
      const token = `${encode({ alg, typ: 'JWT' })}.${encode(claims())}.${signature}`;
      expect(await refusal(token)).toBe(notAccepted('its algorithm is not supported'));
    }
  });

  it.each(['HS256', 'HS384', 'HS512'])('with the public key as the secret of %s', async (alg) => {
    const pem = await exportSPKI(
      (await importJWK(issuer.key.publicKey, 'RS256', { extractable: true })) as never,
    );
    for (const secret of [pem, pem.trim(), issuer.key.publicKey.n!, JSON.stringify(issuer.key.publicKey)]) {
      const signed = `${encode({ alg, typ: 'JWT', kid: issuer.key.kid })}.${encode(claims())}`;
      const mac = createHmac(`sha${alg.slice(2)}`, secret)
        .update(signed)
        .digest('base64url');
      expect(await refusal(`${signed}.${mac}`)).toBe(notAccepted('its algorithm is not supported'));
    }
  });

  it('with a key that it brings along', async () => {
    const { privateKey, publicKey } = await newKey('RS256', 'mine');
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', jwk: publicKey, jku: `${stranger.url}/keys`, kid: 'mine' })
      .sign(privateKey);
    expect(await refusal(token)).toBe(noTrust);
    expect(stranger.asked).toEqual([]);
  });

  it('with a critical extension', async () => {
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'RS256', kid: issuer.key.kid, crit: ['exp'], exp: 1 } as never)
      .sign(issuer.key.privateKey, { crit: { exp: true } });
    expect(await refusal(token)).toBe(noTrust);
  });

  // The times are those of the token, not of the table: files can wait long between the two.
  it.each<[string, () => JWTPayload, string]>([
    ['expired', () => ({ iat: now() - 400, exp: now() - 61 }), 'it has expired'],
    ['without an expiry', () => ({ exp: undefined }), 'it must have the claims exp and iat'],
    [
      'with an expiry that is no number',
      () => ({ exp: 'never' as never }),
      'it must have the claims exp and iat',
    ],
    ['without a time of issue', () => ({ iat: undefined }), 'it must have the claims exp and iat'],
    ['of the future', () => ({ nbf: now() + 600 }), 'it is not valid yet'],
    ['issued in the future', () => ({ iat: now() + 600 }), 'it is not valid yet'],
    ['that is valid for long', () => ({ exp: now() + 86_500 }), 'it is valid for more than 24 hours'],
    ['for two audiences', () => ({ aud: [audience, 'other'] }), 'it must have one audience'],
    ['without an audience', () => ({ aud: undefined }), 'it must have one audience'],
    ['without an issuer', () => ({ iss: undefined }), 'it must have an issuer'],
    ['with a NUL in its issuer', () => ({ iss: 'https://a\0' }), 'it must have an issuer'],
    ['with a NUL in its audience', () => ({ aud: 'a\0' }), 'it must have one audience'],
  ])('%s', async (_, wrong, why) => {
    expect(await refusal(await issuer.token(wrong()))).toBe(notAccepted(why));
  });

  it('but not for a clock that is a minute off', async () => {
    await exchanged(trellis, await issuer.token({ iat: now() - 300, exp: now() - 40 }));
    await exchanged(trellis, await issuer.token({ iat: now() + 40, nbf: now() + 40 }));
  });

  it.each<[string, JWTPayload]>([
    ['for another audience', { aud: 'https://other.example' }],
    ['for an audience that only begins the same', { aud: `${audience}/` }],
    ['with another subject', { sub: 'repo:shop/web:ref:refs/heads/other' }],
    ['with a subject that contains the wanted one', { sub: `${subject}-2` }],
    ['without the claim', { sub: undefined }],
    ['with a claim of another type', { sub: { subject } as never }],
  ])('%s', async (_, wrong) => {
    expect(await refusal(await issuer.token(wrong))).toBe(noTrust);
  });

  it('of another issuer, which is not contacted', async () => {
    expect(await refusal(await stranger.token())).toBe(noTrust);
    expect(await refusal(await stranger.token({ iss: issuer.url }))).toBe(noTrust);
    expect(await refusal(await issuer.token({ iss: stranger.url }))).toBe(noTrust);
    expect(await refusal(await issuer.token({ iss: `${issuer.url}/` }))).toBe(noTrust);
    expect(stranger.asked).toEqual([]);
  });

  it('of another kind that the issuer signs', async () => {
    expect(await refusal(await issuer.token({}, { typ: 'at+jwt' }))).toBe(notAccepted('its type is not JWT'));
  });

  it.each([
    ['no JWT', 'x'],
    ['an access token', `trl_${'a'.repeat(43)}`],
    ['two parts', 'e30.e30'],
    ['no JSON', 'YQ.YQ.YQ'],
    ['five parts', 'e30.e30.e30.e30.e30'],
    ['a payload that is a list', `${encode({ alg: 'RS256' })}.${encode([])}.AAAA`],
    ['other characters', `${encode({ alg: 'RS256' })}.${encode({})} .AAAA`],
  ])('that is none: %s', async (_, token) => {
    expect(await refusal(token)).toMatch(/^The subject token is not accepted: it/);
  });

  it('that is long', async () => {
    const token = await issuer.token({ padding: 'x'.repeat(20_000) });
    expect(await refusal(token)).toBe(notAccepted('it is longer than 16384 characters'));
  });

  it('with a weak key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const weak = await startIssuer();
    weak.published = [{ ...publicKey.export({ format: 'jwk' }), kid: 'weak', alg: 'RS256', use: 'sig' }];
    await trust(trellis, weak, await createAccount(trellis, all.team.teamId), { audience: 'weak' });
    const signed = `${encode({ alg: 'RS256', kid: 'weak' })}.${encode({ ...claims(), iss: weak.url, aud: 'weak' })}`;
    const signature = createSign('sha256').update(signed).sign(privateKey, 'base64url');
    expect(await refusal(`${signed}.${signature}`)).toBe(noTrust);
    await weak.close();
  });
});

describe('claims', () => {
  it('can have any text where no trust compares them', async () => {
    const one = await createAccount(trellis, all.team.teamId);
    await trust(trellis, issuer, one, { audience: 'any', claims: [{ name: 'sub', pattern: 'a*' }] });
    for (const text of ['a\0', 'a\ud800', 'a\u202e', `a${'x'.repeat(4_000)}`]) {
      await exchanged(trellis, await issuer.token({ aud: 'any', sub: text, jti: text }));
    }
  });

  it.each<[string, JWTPayload, boolean]>([
    ['repo:shop/web:*', { value: 'repo:shop/web:pull_request' }, true],
    ['repo:shop/web:*', { value: 'repo:shop/web-2:x' }, false],
    ['repo:*:ref:refs/heads/main', { value: 'repo:shop/web:ref:refs/heads/main' }, true],
    ['12345', { value: 12_345 }, true],
    ['true', { value: true }, true],
    ['deployers', { value: ['readers', 'deployers'] }, true],
    ['deployers', { value: ['readers', 'deployers-2'] }, false],
    ['9007199254740993', { value: 9_007_199_254_740_992 }, false],
    ['*x', { value: null }, false],
  ])('with the pattern %s: %j', async (pattern, given, isAccepted) => {
    const one = await createAccount(trellis, all.team.teamId);
    const aud = crypto.randomUUID();
    await trust(trellis, issuer, one, { audience: aud, claims: [{ name: 'value', pattern }] });
    const { status } = await exchange(trellis, await issuer.token({ aud, ...given }));
    expect(status).toBe(isAccepted ? 200 : 400);
  });

  it('must all match', async () => {
    const one = await createAccount(trellis, all.team.teamId);
    const patterns = [
      { name: 'sub', pattern: 'repo:shop/web:*' },
      { name: 'environment', pattern: 'production' },
    ];
    await trust(trellis, issuer, one, { audience: 'both', claims: patterns });
    const token = (environment: string) => issuer.token({ aud: 'both', environment });
    expect((await exchange(trellis, await token('staging'))).status).toBe(400);
    expect((await exchange(trellis, await token('production'))).status).toBe(200);
  });
});

describe('refusals', () => {
  it('are recorded for the service account, at most ten in a minute, without the token', async () => {
    const other = await startTrellis();
    const { team } = await other.createAll();
    const serviceAccount = await createAccount(other, team.teamId);
    await trust(other, issuer, serviceAccount);
    const token = await issuer.token({ sub: 'other' });
    for (let index = 0; index < 15; index++) await exchange(other, token);
    const { events } = await other.data(
      '{ events(action: "service_account.refuse_token") { totalCount nodes { objectUid actor { __typename } team { name } changes { field after: newValue } } } }',
    );
    expect(events.totalCount).toBe(10);
    expect(events.nodes[0]).toMatchObject({
      objectUid: serviceAccount.serviceAccountId,
      actor: null,
      team: { name: team.name },
      changes: expect.arrayContaining([{ field: 'reason', after: 'its claims match no trust' }]),
    });
    const lines = other.logged.filter(({ msg }) => msg === 'token exchange refused');
    expect(lines).toHaveLength(10);
    expect(lines[0]).toMatchObject({ issuer: issuer.url, reason: 'its claims match no trust' });
    const record = JSON.stringify([events, other.logged]);
    for (const part of token.split('.').slice(1)) expect(record).not.toContain(part);
    // Strangers cannot use up what is recorded for the issuer, nor fill the log.
    for (let index = 0; index < 15; index++) await exchange(other, await stranger.token());
    expect(other.logged.filter(({ msg }) => msg === 'token exchange refused')).toHaveLength(20);
    await other.close();
  });

  it('count as failed authentications of the address', async () => {
    const limited = await startTrellis({ http: { failedAuthenticationsPerMinute: 3 } });
    const { team } = await limited.createAll();
    await trust(limited, issuer, await createAccount(limited, team.teamId));
    await exchanged(limited, await issuer.token());
    const wrong = await issuer.token({ sub: 'other' });
    for (let index = 0; index < 3; index++) expect((await exchange(limited, wrong)).status).toBe(400);
    const refused = await exchange(limited, await issuer.token());
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await limited.close();
  });
});
