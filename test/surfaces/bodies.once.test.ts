import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { LogoutRefusedError } from '../../src/kernel/errors.ts';
import { createHook, hookedComponent } from '../support/deploy-hooks.ts';
import { send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

/** A provider that no request here gets as far as asking. */
const refuse = () => Promise.reject(new Error('The provider was asked.'));
const unasked = {
  name: 'None',
  begin: refuse,
  finish: refuse,
  beginDevice: refuse,
  finishDevice: refuse,
  refresh: refuse,
  readLogout: () => Promise.reject(new LogoutRefusedError('invalid token', 'The token is refused.')),
};

let hook: { path: string };
const trellis = useTrellis({ identity: unasked });
beforeAll(async () => {
  hook = await createHook(trellis, await hookedComponent(trellis));
});

interface Endpoint {
  name: string;
  path: () => string;
  /** A valid body with a text of the caller in it. */
  body: (text: string) => string;
  type?: string;
  token?: null;
  /** The status of the answer to a valid body. */
  status: number;
  /** Where the answer has its message. */
  message: (answer: any) => string;
}

const graphqlMessage = ({ errors }: any) => errors[0].message;
const problem = ({ detail, issues }: any) => issues?.[0]?.message ?? detail;

const endpoints: Endpoint[] = [
  {
    name: '/graphql',
    path: () => '/graphql',
    body: (text) =>
      JSON.stringify({
        query: 'query ($a: String) { teams(search: $a) { totalCount } }',
        variables: { a: text },
      }),
    status: 200,
    message: ({ errors: [error] }) =>
      error.extensions.issues?.[0]?.message ?? graphqlMessage({ errors: [error] }),
  },
  {
    name: '/mcp',
    path: () => '/mcp',
    body: (text) => JSON.stringify({ jsonrpc: '2.0', id: text, method: 'ping' }),
    status: 200,
    message: ({ error }) => error.message,
  },
  {
    name: '/api/v1',
    path: () => '/api/v1/create-team',
    body: (text) => JSON.stringify({ name: `team-${Math.random().toString(36).slice(2)}`, alias: text }),
    status: 200,
    message: problem,
  },
  {
    name: '/openapi/v1',
    path: () => '/openapi/v1/teams/resource',
    body: (text) => JSON.stringify([{ tenant_id: text, region_name: 'none' }]),
    status: 200,
    message: problem,
  },
  {
    name: '/auth/token',
    path: () => '/auth/token',
    type: 'application/x-www-form-urlencoded',
    token: null,
    body: (text) => `grant_type=${text}`,
    status: 400,
    message: ({ error_description: description }) => description,
  },
  {
    name: '/auth/backchannel-logout',
    path: () => '/auth/backchannel-logout',
    type: 'application/x-www-form-urlencoded',
    token: null,
    body: (text) => `logout_token=${text}`,
    status: 400,
    message: ({ error_description: description }) => description,
  },
  {
    name: '/auth/cli/token',
    path: () => '/auth/cli/token',
    token: null,
    body: (text) => JSON.stringify({ code: text, verifier: 'v'.repeat(43) }),
    status: 403,
    message: problem,
  },
  {
    name: '/auth/device/token',
    path: () => '/auth/device/token',
    token: null,
    body: (text) => JSON.stringify({ handle: text }),
    status: 403,
    message: problem,
  },
  {
    name: 'a deploy hook',
    path: () => hook.path,
    token: null,
    body: (text) => JSON.stringify({ image: text }),
    status: 400,
    message: problem,
  },
];

describe.each(endpoints)('the body of a request to $name', ({ path, body, type, token, status, message }) => {
  const post = (bytes: Buffer | string, headers: Record<string, string> = {}) =>
    send(trellis, {
      method: 'POST',
      path: path(),
      body: bytes,
      ...(token === null && { token }),
      headers: { ...(type && { 'Content-Type': type }), ...headers },
    });

  it('may contain any character in UTF-8', async () => {
    expect((await post(body('Caf\u00e9 \u{1f680}'))).status).toBe(status);
  });

  it('must be UTF-8', async () => {
    const [before, after] = body('Caf\u00e9').split('\u00e9') as [string, string];
    const answer = await post(Buffer.concat([Buffer.from(before), Buffer.from([0xe9]), Buffer.from(after)]));
    expect(answer.status).toBe(400);
    expect(message(answer.body)).toContain('The body is not valid UTF-8');
  });

  it('may begin with a byte order mark', async () => {
    const answer = await post(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body('plain'))]));
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('not valid');
  });

  it.each(['gzip', 'br', 'x'])('must not be compressed: %s', async (encoding) => {
    const answer = await post(gzipSync(body('plain')), { 'Content-Encoding': encoding });
    expect(answer.status).toBe(415);
    expect(message(answer.body)).toContain('The body must not be compressed');
  });

  it('is refused before it arrives if it is too long', async () => {
    const limit = token === null ? 65_536 : 1_048_576;
    const answer = await post(body('plain'), { 'Content-Length': String(limit + 1) });
    expect(answer.status).toBe(413);
    expect(message(answer.body)).toContain(`The body is larger than ${limit} bytes`);
  });

  it('may be declared as not encoded', async () => {
    expect((await post(body('plain'), { 'Content-Encoding': 'identity' })).status).toBe(status);
  });
});
