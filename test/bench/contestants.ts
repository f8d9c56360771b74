/** Who is measured, how each is started, and how it is asked. */
import { request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type CallerKey, type Credential, caller, callers, type Dataset, root } from './data.ts';
import type { Request } from './load.ts';
import { type Running, start } from './processes.ts';
import type { Kind } from './work.ts';

export interface Contestant {
  key:
    | 'limit'
    | 'postgraphile'
    | 'rights'
    | 'postgres'
    | 'raw'
    | 'sqlite'
    | 'metrics'
    | 'workers'
    | CallerKey;
  name: string;
  kind: Kind;
  database: 'postgres' | 'sqlite';
  command: (trellis: string) => [string, ...string[]];
  env?: Record<string, string>;
  /** Whose token it is asked with, if not that of a developer of all teams. */
  caller?: CallerKey;
  /** Measured only if it is asked for. */
  isOptional?: true;
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Made by the installation in postgraphile/. */
export const node24 = here('postgraphile/node_modules/node/bin/node');

/** Without an identity provider, there are no sessions. It is not asked. */
const signInSettings = {
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'bench',
  PUBLIC_URL: 'http://localhost:4000',
};

/** Connections to Postgres that each may have. */
const poolSize = '10';

export const contestants: Contestant[] = [
  {
    key: 'limit',
    name: 'limit: SQL by hand over pg',
    kind: 'limit',
    database: 'postgres',
    command: () => [node24, here('limit.ts')],
  },
  {
    key: 'postgraphile',
    name: 'PostGraphile',
    kind: 'postgraphile',
    database: 'postgres',
    command: () => [node24, here('postgraphile/server.mjs')],
  },
  {
    key: 'rights',
    name: 'PostGraphile, with rights and record',
    kind: 'rights',
    database: 'postgres',
    command: () => [node24, here('postgraphile/server.mjs')],
  },
  {
    key: 'postgres',
    name: 'Trellis on Postgres',
    kind: 'trellis',
    database: 'postgres',
    command: (trellis) => [node24, `${trellis}/dist/main.js`],
  },
  {
    key: 'raw',
    name: 'limit: SQL by hand, better-sqlite3',
    kind: 'limit',
    database: 'sqlite',
    // better-sqlite3 was compiled for the Node.js of this machine.
    command: () => [process.execPath, '--import', 'tsx', here('raw.ts')],
  },
  {
    key: 'sqlite',
    name: 'Trellis on SQLite',
    kind: 'trellis',
    database: 'sqlite',
    command: (trellis) => [process.execPath, `${trellis}/dist/main.js`],
  },
  {
    key: 'metrics',
    name: 'Trellis on Postgres, METRICS_PORT',
    kind: 'trellis',
    database: 'postgres',
    command: (trellis) => [node24, `${trellis}/dist/main.js`],
    env: { METRICS_PORT: '0' },
    isOptional: true,
  },
  {
    key: 'workers',
    name: 'Trellis on Postgres, WORKERS=2',
    kind: 'trellis',
    database: 'postgres',
    command: (trellis) => [node24, `${trellis}/dist/main.js`],
    env: { WORKERS: '2' },
    isOptional: true,
  },
  ...callers.map(
    ([key, title]): Contestant => ({
      key,
      name: `Trellis on Postgres, ${title}`,
      kind: 'trellis',
      database: 'postgres',
      command: (trellis) => [node24, `${trellis}/dist/main.js`],
      caller: key,
      ...(key === 'session' && { env: signInSettings }),
      isOptional: true,
    }),
  ),
];

/** Starts one; it has answered a request when this resolves. */
export function startContestant(
  { kind, command, env }: Contestant,
  { url, token, settings }: Dataset,
  trellis = root,
): Promise<Running> {
  const own =
    kind === 'trellis'
      ? settings
      : { DATABASE_URL: url, TOKEN: token, ...(kind === 'rights' && { RIGHTS_OF: caller }) };
  const request =
    kind === 'limit'
      ? { method: 'POST' as const, path: '/c', body: { name: 'nobody' } }
      : {
          method: 'POST' as const,
          path: '/graphql',
          body: { query: kind === 'trellis' ? '{ teams(first: 1) { nodes { name } } }' : '{ __typename }' },
        };
  return start(
    {
      command: command(trellis),
      // All requests are of one token.
      env: {
        RATE_LIMIT_PER_SECOND: '0',
        MAX_REQUESTS_PER_USER: '500',
        MAX_REQUESTS_PER_ADDRESS: '500',
        ...own,
        DATABASE_POOL: poolSize,
        NODE_ENV: 'production',
        GRAPHILE_ENV: 'production',
        ...env,
      },
      cwd: trellis,
    },
    async (port) => ask(port, withToken(request, token)),
  );
}

/** As a client sends it. None asks for compression: it would measure zlib. */
export function withToken(
  { method, path, body }: { method: Request['method']; path: string; body?: object },
  credential: Credential,
): Request {
  return {
    method,
    path,
    headers: {
      ...(typeof credential === 'string'
        ? { Authorization: `Bearer ${credential}` }
        : { Cookie: `trellis=${credential.session}`, Origin: signInSettings.PUBLIC_URL }),
      Accept: 'application/json',
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
}

/** One request; the text of its answer, an Error with its status for anything but 200. */
export function ask(port: number, { method, path, headers, body }: Request): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        const text = String(Buffer.concat(chunks));
        if (res.statusCode === 200) resolve(text);
        else
          reject(
            new AnswerError(res.statusCode!, `${method} ${path}: ${res.statusCode} ${text.slice(0, 500)}`),
          );
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export class AnswerError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
