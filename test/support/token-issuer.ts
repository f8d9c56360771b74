import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { closerOf } from './close-server.ts';
import { unique } from './fixtures.ts';
import { send } from './send.ts';
import type { Trellis } from './trellis.ts';

export const audience = 'https://trellis.example';
export const subject = 'repo:shop/web:ref:refs/heads/main';

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicKey: JWK;
}

export async function newKey(alg = 'RS256', kid: string = randomUUID()): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export interface TestIssuer {
  url: string;
  key: SigningKey;
  /** The keys that it publishes. */
  published: JWK[];
  /** The paths that it was asked for. */
  asked: string[];
  /** Answers instead of the issuer. */
  answer: RequestListener | undefined;
  /** A token as pipelines get it; claims that are undefined are left out. */
  token(claims?: JWTPayload, header?: { key?: SigningKey; typ?: string; kid?: string }): Promise<string>;
  close(): Promise<void>;
}

/** An issuer of tokens on loopback. */
export async function startIssuer(alg?: string): Promise<TestIssuer> {
  const server = createServer((request, response) => {
    issuer.asked.push(request.url!);
    response.on('error', () => {});
    if (issuer.answer) return issuer.answer(request, response);
    const body =
      request.url === '/keys'
        ? { keys: issuer.published }
        : { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const key = await newKey(alg);
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    published: [key.publicKey],
    asked: [],
    answer: undefined,
    token: (claims = {}, { key = issuer.key, typ = 'JWT', kid = key.kid } = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const all = {
        iss: issuer.url,
        aud: audience,
        sub: subject,
        iat: now,
        exp: now + 300,
        jti: randomUUID(),
      };
      return new SignJWT({ ...all, ...claims })
        .setProtectedHeader({ alg: key.alg, kid, typ })
        .sign(key.privateKey);
    },
    close: closerOf(server),
  };
  return issuer;
}

export interface Account {
  serviceAccountId: string;
}

export const createAccount = async (
  trellis: Trellis,
  teamId: string,
  role = 'DEVELOPER',
  name: string = unique('account'),
): Promise<Account> =>
  (
    await trellis.succeed(
      'createServiceAccount',
      { team: { teamId }, name, role },
      'serviceAccount { serviceAccountId: uid }',
    )
  ).serviceAccount;

/** Adds a trust for the tokens of an issuer. */
export const trust = async (
  trellis: Trellis,
  issuer: Pick<TestIssuer, 'url'>,
  serviceAccount: Account,
  input: object = {},
): Promise<{ trustId: string }> => {
  const claims = [{ name: 'sub', pattern: subject }];
  const all = { serviceAccount, issuer: issuer.url, audience, claims, ...input };
  return (await trellis.succeed('addTrust', all, 'trust { trustId: uid }')).trust;
};

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const idToken = 'urn:ietf:params:oauth:token-type:id_token';

/** The response to a request to exchange a token, with other parameters if they are given. */
export function exchange(
  { url }: Pick<Trellis, 'url'>,
  subjectToken: string,
  parameters: Record<string, string> = {},
) {
  const form = { grant_type: exchangeGrant, subject_token: subjectToken, subject_token_type: idToken };
  return sendForm({ url }, new URLSearchParams({ ...form, ...parameters }).toString());
}

export const sendForm = ({ url }: Pick<Trellis, 'url'>, body: string | Buffer | string[], headers = {}) =>
  send(
    { url, adminToken: '' },
    {
      path: '/auth/token',
      token: null,
      body,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    },
  );

/** Exchanges a token and returns the access token. */
export async function exchanged(
  trellis: Pick<Trellis, 'url'>,
  subjectToken: string,
  parameters?: Record<string, string>,
): Promise<string> {
  const { status, text, body } = await exchange(trellis, subjectToken, parameters);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body.access_token;
}
