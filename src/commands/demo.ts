// npm run demo: starts Trellis with real applications on a separate SQLite database, and prints how to use it.
import { once } from 'node:events';
import { type Config, readConfig } from '../config.ts';
import type { Services } from '../context.ts';
import { asTrellis, firstAdministrator } from '../domain/access-token/bootstrap-operations.ts';
import { issueAccessToken, revokeOldAccessTokens } from '../domain/access-token/operations.ts';
import { actorOf } from '../domain/access-token/reads.ts';
import { createLoaders } from '../kernel/batch.ts';
import { close, exitAfter, listen, open } from '../open.ts';
import { CommandError, run } from './command.ts';
import { makeDemoData } from './demo-data.ts';

const tokenDays = 7;
const example =
  '{ teams { nodes { name applications { nodes { name components { nodes { name ports { nodes { number protocol } } } } } } } } }';

await run(async () => {
  const config = readConfig({
    ...process.env,
    ...(!process.env.DATABASE_URL_FILE && {
      DATABASE_URL: process.env.DATABASE_URL || 'file:.trellis/demo.db',
    }),
    LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
    // The demo is its own app store, on loopback.
    STORE_ALLOW_PRIVATE: process.env.STORE_ALLOW_PRIVATE || 'true',
  });
  const { services, firstToken } = await open(config);
  // Fails before anything is created if the port is in use.
  const { server, url } = await listen(services, config).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    const hint = `Another port: PORT=${config.port + 1} npm run demo`;
    throw new CommandError(`${config.host}:${config.port} is taken by another program. ${hint}`);
  });
  try {
    const token = await administratorToken(services, firstToken ?? config.bootstrapToken);
    const { actor } = (await actorOf(services.db, token))!;
    const context = { ...services, actor, requestId: 'demo', loaders: createLoaders() };
    await makeDemoData(context, { url, domain: 'demo', accessKey: token }, step);

    const stop = new AbortController();
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());
    const stopped = once(stop.signal, 'abort');
    process.stdout.write(welcome(config, url, token));
    await stopped;
  } finally {
    exitAfter(config.shutdownTimeoutMs);
    await close(server, services, config.shutdownTimeoutMs);
  }
});

/** Prints what is made, and how long it took. */
async function step(what: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  process.stdout.write(`Making ${what}… `);
  await work();
  process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/**
 * The first administrator's token: the given one if it is accepted, otherwise a new one that expires. Only the hash of a
 * token is stored, so the token of an earlier start cannot be shown again.
 */
async function administratorToken({ db }: Services, given: string | undefined): Promise<string> {
  if (given && (await actorOf(db, given))?.actor.isAdministrator) return given;
  const [user] = await db.user.findManyByKeys({ by: 'email', keys: [firstAdministrator.email] });
  if (!user?.isActive)
    throw new CommandError(`This database has no active user ${firstAdministrator.email}.`);
  const expiresAt = new Date(Date.now() + tokenDays * 24 * 60 * 60 * 1000);
  const context = asTrellis(db, user.enterpriseId, 'demo');
  // Every start creates one, and a user has a limited number of them.
  await revokeOldAccessTokens(context, user.id, 'demo', 20);
  return (await issueAccessToken(context, { userId: user.id }, { name: 'demo', expiresAt })).secret;
}

function welcome({ graphiql }: Config, url: string, token: string): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json'];
  const lines = [
    ['Console', `${url}/#token=${encodeURIComponent(token)}`],
    ...(graphiql ? [['GraphiQL', `${url}/graphql#token=${encodeURIComponent(token)}`]] : []),
    ['GraphQL', `${url}/graphql`],
    ['REST', `${url}/openapi/v1/docs#token=${encodeURIComponent(token)}`],
    ['Token', token],
    [
      'Try',
      `curl -s ${url}/graphql ${headers.map((header) => `-H ${quoted(header)}`).join(' ')} -d ${quoted(JSON.stringify({ query: example }))}`,
    ],
    ['Stop', 'Ctrl+C'],
  ];
  return `\nTrellis is running, with demo data.\n\n${lines
    .map(([name, value]) => `  ${name!.padEnd(10)}${value}\n`)
    .join('')}\n`;
}
