import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { blocksBelow } from '../support/deploy-guide.ts';
import { freePort } from '../support/free-port.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { root, start, temporaryFolder } from '../support/production.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createMigratedDatabase, databaseKind } from '../support/trellis.ts';

startsProcesses();

const token = `trl_${'p'.repeat(43)}`;

/** The proxies of the deployment guide: a program, and its configuration for two gateways at these ports. */
const proxies = {
  haproxy: {
    args: (file: string) => ['-db', '-f', file],
    configuration: (port: number, gateways: number[]) =>
      readFileSync(join(root, 'docs/deploy/haproxy.cfg'), 'utf8')
        .replace('bind :8080', `bind 127.0.0.1:${port}`)
        .replaceAll(/gateway-(\d):4000/g, (_, number) => `127.0.0.1:${gateways[number - 1]}`),
  },
  nginx: {
    args: (file: string) => [
      '-p',
      join(file, '..'),
      '-c',
      file,
      '-g',
      'daemon off; pid nginx.pid; error_log stderr;',
    ],
    configuration: (port: number, gateways: number[]) =>
      `events {}\nhttp {\naccess_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path tmp_${name};`).join('\n')}\n${blocksBelow(
        'TLS and proxies',
        'nginx',
      )[0]!
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replaceAll(/^ *(ssl_|http2 ).*$/gm, '')
        .replaceAll(/127\.0\.0\.1:400(\d)/g, (_, number) => `127.0.0.1:${gateways[number - 1]}`)}}`,
  },
};

describe.each(Object.entries(proxies))('two gateways behind %s', (program, proxy) => {
  const isInstalled = spawnSync(program, ['-v']).status === 0;
  if (!isInstalled) process.stderr.write(`Gateways behind ${program}: skipped, it is not installed\n`);
  const folder = temporaryFolder('proxy');
  let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
  let gateways: TrellisProcess[];
  let running: ReturnType<typeof start>;
  let url: string;

  // On one SQLite file there is one gateway.
  const isSkipped = !isInstalled || databaseKind === 'sqlite';

  beforeAll(async () => {
    if (isSkipped) return;
    database = await createMigratedDatabase();
    const settings = {
      DATABASE_URL: database.url,
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: token,
      TRUST_PROXY: '1',
      FAILED_AUTHENTICATIONS_PER_MINUTE: '5',
    };
    gateways = [startProcess(settings), startProcess(settings)];
    const ports = await Promise.all(
      gateways.map(async ({ listening }) => Number(new URL(await listening).port)),
    );
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const file = join(folder.path, 'proxy.conf');
    writeFileSync(file, proxy.configuration(port, ports));
    running = start(folder.path, [program, ...proxy.args(file)]);
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 30_000);
  });
  afterAll(async () => {
    if (!isSkipped) {
      await running.stop('SIGTERM');
      await endProcesses();
      await database.drop();
    }
    folder.remove();
  });

  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
      body: '{"query":"{ viewer { user { email } } }"}',
    });
  const served = ({ log }: TrellisProcess) => log().filter(({ path }) => path === '/graphql').length;

  it.skipIf(isSkipped)('share the requests', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await expect
      .poll(() => gateways.reduce((sum, gateway) => sum + served(gateway), 0), { timeout: 90_000 })
      .toBe(40);
    for (const gateway of gateways) expect(served(gateway)).toBeGreaterThan(5);
  });

  it.skipIf(isSkipped)('know a client by the address that the proxy saw, not by what it claims', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 24; index++) {
      // Each claims another address: all come from one.
      const claim = { 'X-Forwarded-For': `192.0.2.${index}`, Authorization: 'Bearer trl_wrong' };
      statuses.push((await ask(claim)).status);
    }
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
  });

  it.skipIf(isSkipped)('lose no request when one of them is stopped', async () => {
    const failures: unknown[] = [];
    const counts = { done: 0 };
    const stop = new AbortController();
    const client = async () => {
      while (!stop.signal.aborted) {
        const answer = await ask().catch((error) => error);
        if (answer.status !== 200) failures.push(answer.status ?? answer);
        counts.done++;
      }
    };
    const clients = Array.from({ length: 4 }, client);
    await expect.poll(() => counts.done, { timeout: 90_000 }).toBeGreaterThan(20);
    gateways[0]!.child.kill('SIGTERM');
    expect(await gateways[0]!.ended).toBe(0);
    const after = counts.done;
    await expect.poll(() => counts.done, { timeout: 90_000 }).toBeGreaterThan(after + 40);
    stop.abort();
    await Promise.all(clients);
    expect(failures).toEqual([]);
  });
});
