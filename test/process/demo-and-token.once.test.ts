import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { run as runProgram } from '../support/cli.ts';
import { contents, endCommandDatabases, freshSettings } from '../support/command-databases.ts';
import { run, type Settings } from '../support/commands.ts';
import { runHere } from '../support/commands-here.ts';
import { ask, settledApplications, startDemo, tree } from '../support/demo.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

/** Each starts several processes, on a machine that may be busy with the other suites. */
const processes = { timeout: 120_000 };

afterAll(endCommandDatabases);

/** A demo that all ask, and its database: to fill another takes seconds. */
let settings: Settings & { DATABASE_URL: string };
let demo: Awaited<ReturnType<typeof startDemo>>;
let applications: Map<string, any>;
beforeAll(async () => {
  // What the demo prints does not depend on how slow the machine is.
  settings = { ...(await freshSettings()), SIMULATED_DELAY_MS: '1000', SLOW_REQUEST_MS: '600000' };
  demo = await startDemo(settings);
  applications = await settledApplications(demo);
});

describe('npm run demo', processes, () => {
  it('contains three teams with their members', async () => {
    const { teams } = await demo.ask(tree);
    expect(teams.nodes.map(({ name }: any) => name)).toEqual(['media', 'platform', 'retail']);
    expect(teams.nodes.every(({ members }: any) => members.totalCount >= 4)).toBe(true);
  });

  it('contains the whole tree of Online Boutique', () => {
    const { region, components } = applications.get('Online Boutique');
    expect(region.name).toBe('eu-central');
    expect(components.totalCount).toBe(12);
    const ports = components.nodes.flatMap((component: any) => component.ports.nodes);
    expect(ports.length).toBe(11);
    expect(ports.filter((port: any) => port.isOuter).map((port: any) => port.alias)).toEqual([
      'FRONTEND_8080',
    ]);
    expect(components.nodes.every((component: any) => component.status === 'RUNNING')).toBe(true);
    const checkout = components.nodes.find((component: any) => component.name === 'checkoutservice');
    expect(checkout.image).toMatch(/checkoutservice:v0\.10\.3$/);
    expect(checkout.dependencies.nodes.map(({ name }: any) => name)).toEqual([
      'cartservice',
      'currencyservice',
      'emailservice',
      'paymentservice',
      'productcatalogservice',
      'shippingservice',
    ]);
  });

  it('shows components that run, are stopped, fail and are being deployed', () => {
    const { region, components } = applications.get('Sock Shop');
    expect(region.name).toBe('us-east');
    const others = components.nodes.filter(({ status }: any) => status !== 'RUNNING');
    expect(others.map(({ name, status }: any) => [name, status])).toEqual([
      ['login', 'IN PROGRESS'],
      ['queue-master', 'STOPPED'],
      ['shipping', 'UNHEALTHY'],
    ]);
    expect(components.totalCount).toBe(13);
  });

  it('contains the other applications as their templates define them', () => {
    const figures = [...applications].map(
      ([
        name,
        {
          components: { nodes },
        },
      ]) => {
        const sum = (of: (component: any) => number) =>
          nodes.reduce((total: number, component: any) => total + of(component), 0);
        return [
          name,
          nodes.length,
          sum(({ ports }) => ports.nodes.length),
          sum(({ variables }) => variables.totalCount),
          sum(({ volumes }) => volumes.totalCount),
          sum(({ dependencies }) => dependencies.nodes.length),
        ];
      },
    );
    // As the overview in prisma/templates/README.md has them.
    expect(Object.fromEntries(figures.map(([name, ...rest]) => [name, rest]))).toEqual({
      'Online Boutique': [12, 11, 35 + 22, 1, 16],
      'Sock Shop': [13, 13, 0 + 26, 0, 13],
      Bookinfo: [6, 6, 3 + 12, 7, 7],
      'WordPress with MySQL': [2, 3, 8 + 6, 1, 1],
    });
    const services = applications
      .get('Bookinfo')
      .components.nodes.map(({ ports }: any) => ports.nodes[0].serviceName);
    expect(services.sort()).toEqual([
      'details',
      'productpage',
      'ratings',
      'reviews',
      'reviews-2',
      'reviews-3',
    ]);
  });

  it('prints a login URL and a curl command that work', async () => {
    expect(demo.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/graphql$/);
    expect(demo.printed('GraphiQL')).toBe(`${demo.endpoint}#token=${demo.token}`);
    const curl = spawn('sh', ['-c', demo.printed('Try')], { stdio: ['ignore', 'pipe', 'ignore'] });
    let answer = '';
    curl.stdout.setEncoding('utf8').on('data', (text) => (answer += text));
    const [code] = await once(curl, 'close');
    if (code === 127) return; // No curl on this machine.
    expect(JSON.parse(answer).data.teams.nodes.length).toBe(3);
  });

  it('serves a command line that needs Node.js alone', async () => {
    const { origin } = new URL(demo.endpoint);
    const served = await fetch(`${origin}/cli/trellis.mjs`);
    expect(served.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const folder = mkdtempSync(join(tmpdir(), 'trellis-cli-'));
    writeFileSync(join(folder, 'trellis.mjs'), await served.text());
    const env = { TRELLIS_URL: origin, TRELLIS_TOKEN: demo.token };
    const cli = (...args: string[]) =>
      runProgram(process.execPath, ['trellis.mjs', ...args], { cwd: folder, env });
    const { status, stdout } = await cli('ls', '--team', 'retail');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^Online Boutique +eu-central +RUNNING +12$/m),
    ]);
    rmSync(folder, { recursive: true });
  });

  it('prints what it makes, and how long each part took', () => {
    const [lines] = demo.output.stdout.split('\nTrellis is running');
    expect(
      lines!
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/\d+\.\d s$/, 'N s')),
    ).toEqual([
      'Making people and regions… N s',
      'Making templates of real applications… N s',
      'Making team Retail… N s',
      'Making team Media… N s',
      'Making team Platform engineering… N s',
    ]);
  });

  it('has no leftovers in its regions', async () => {
    const { viewer } = await demo.ask(
      '{ viewer { enterprise { regions { nodes { name orphans { name } } } } } }',
    );
    expect(viewer.enterprise.regions.nodes).toEqual([
      { name: 'eu-central', orphans: [] },
      { name: 'us-east', orphans: [] },
    ]);
  });

  it('prints nothing after its links, although a component of its data crashes', async () => {
    const { failing } = await demo.ask(
      '{ failing: teams(search: "retail") { nodes { applications(search: "sock") { nodes { jobs { nodes { status error } } } } } } }',
    );
    expect(JSON.stringify(failing)).toContain('crashes when it starts');
    expect(demo.output.stdout.trimEnd().split('\n').at(-1)).toMatch(/^ +Stop +Ctrl\+C$/);
    expect(demo.output.stderr).toBe('');
  });

  it('exits with 1 when the port is in use', async () => {
    const PORT = new URL(demo.endpoint).port;
    const second = await run('demo', [], { ...(await freshSettings()), PORT });
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`127.0.0.1:${PORT} is taken`);
    expect(await demo.ask('{ teams { totalCount } }')).toEqual({ teams: { totalCount: 3 } });
  });
});

describe('npm run token', processes, () => {
  it('exits with 1 on a database that is not migrated', async () => {
    const refused = await runHere('token', ['--user', 'admin@trellis.example'], await freshSettings());
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('npm start');
  });

  it('prints a working token, and nothing else', async () => {
    const made = await run('token', ['--user', 'Amara.Okafor@trellis.example'], settings);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^trl_[\w-]{43}\n$/);
    const query = '{ viewer { user { email } accessTokens { nodes { name isReadOnly expiresAt } } } }';
    expect((await ask(demo.endpoint, made.stdout.trim(), query)).viewer).toEqual({
      user: { email: 'amara.okafor@trellis.example' },
      accessTokens: { nodes: [{ name: 'command line', isReadOnly: false, expiresAt: null }] },
    });

    const args = [
      '--user',
      'lea.moreau@trellis.example',
      '--name',
      'CI',
      '--read-only',
      '--expires-in-days',
      '30',
    ];
    const limited = await runHere('token', args, settings);
    const { nodes } = (await ask(demo.endpoint, limited.stdout.trim(), query)).viewer.accessTokens;
    expect(nodes).toMatchObject([{ name: 'CI', isReadOnly: true }]);
    expect(Math.round((Date.parse(nodes[0].expiresAt) - Date.now()) / 86_400_000)).toBe(30);

    const { events } = await demo.ask(
      '{ events(action: "access_token.create") { nodes { user { email } changes { field after: newValue } } } }',
    );
    expect(events.nodes[0].user).toBeNull();
    expect(JSON.stringify(events)).not.toContain(limited.stdout.trim());
  });

  it('requires --enterprise when several enterprises have a user with the address', async () => {
    const email = 'twice@trellis.example';
    const db = await openDatabase({ url: settings.DATABASE_URL! });
    try {
      await db.transaction(async (tx) => {
        const createdAt = new Date();
        for (const id of ['first', 'second']) {
          await tx.enterprise.create({ data: { id, name: id, alias: id, createdAt } });
          await tx.user.create({
            data: { enterpriseId: id, email, nickName: id, createdAt, folded: email },
          });
        }
      });
    } finally {
      await db.close();
    }
    const refused = await runHere('token', ['--user', email], settings);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('--enterprise to one of first, second');
    const unknown = await runHere('token', ['--user', email, '--enterprise', 'third'], settings);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    const made = await runHere('token', ['--user', email, '--enterprise', 'second'], settings);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^trl_/);
  });

  it('refuses an unknown user and writes to standard error only', async () => {
    const refused = await runHere('token', ['--user', 'nobody@trellis.example'], settings);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('no user with the email address nobody@');
  });
});

// The others ask the demo that is stopped here.
describe('npm run demo', processes, () => {
  it('exits on SIGTERM and SIGINT, and starts again with its data', async () => {
    expect(await demo.stop()).toMatchObject({ code: 0, stderr: '' });
    const before = await contents(settings.DATABASE_URL);

    const again = await startDemo(settings);
    expect((await again.ask('{ teams { totalCount } }')).teams.totalCount).toBe(3);
    // The token of the first start still works.
    expect(await ask(again.endpoint, demo.token, '{ teams { totalCount } }')).toBeTruthy();
    expect(await again.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });

    const { counts, rows } = await contents(settings.DATABASE_URL);
    expect(rows).toEqual(before.rows);
    expect(counts).toEqual({
      ...before.counts,
      access_token: before.counts.access_token! + 1,
      event: before.counts.event! + 1,
    });
  });
});
