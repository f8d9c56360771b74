import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installProduction, root, run, sizeOf, start, temporaryFolder } from '../support/production.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

startsProcesses();

const { devDependencies, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const linesOf = (file: string) => readFileSync(join(root, 'src', file), 'utf8').split('\n');
const npm = (script: string, ...args: string[]) => ['npm', 'run', '--silent', script, '--', ...args] as const;

describe('a production install', () => {
  const folder = temporaryFolder('production');
  const settings = {
    PORT: '0',
    DATABASE_URL: 'file:data/trellis.db',
    SECRET_KEY: 'c0ffee00'.repeat(8),
    BOOTSTRAP_TOKEN: `trl_${'b'.repeat(40)}`,
    STORE_ALLOW_PRIVATE: 'true',
  };
  beforeAll(() => installProduction(folder.path), 120_000);
  afterAll(async () => {
    await trellis?.stop();
    folder.remove();
  });

  /** A gateway that several tests ask one after the other, the last of which stops it. */
  let trellis: ReturnType<typeof start> | undefined;
  let url: string;
  const send = async (query: string) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${settings.BOOTSTRAP_TOKEN}` },
      body: JSON.stringify({ query }),
    });
    return (await answer.json()) as { data: any; errors?: any[] };
  };

  it('has the packages that run it, and none that only a build needs', () => {
    const { resolve } = createRequire(join(folder.path, 'package.json'));
    const isInstalled = (name: string) => {
      if (existsSync(join(folder.path, 'node_modules', name))) return true;
      try {
        return Boolean(resolve(`${name}/package.json`));
      } catch {
        return false;
      }
    };
    // The types of Node.js are a dependency of those of pg, which the Prisma adapter names.
    const alsoOfDependencies = ['@types/node', '@types/pg'];
    expect(Object.keys(devDependencies).filter(isInstalled)).toEqual(alsoOfDependencies);
    expect(['prisma', 'typescript', '@prisma/engines', '@prisma/dev', 'esbuild'].filter(isInstalled)).toEqual(
      [],
    );
    expect(Object.keys(dependencies).filter((name) => !isInstalled(name))).toEqual([]);
  });

  it('is as large as the documentation says', () => {
    const mebibytes = sizeOf(folder.path) / 2 ** 20;
    expect(mebibytes).toBeGreaterThan(100);
    // What `--omit=optional` leaves out: packages for traces, and the client of Kubernetes.
    const { packages } = JSON.parse(readFileSync(join(folder.path, 'package-lock.json'), 'utf8'));
    const sizes = Object.entries<{ optional?: boolean }>(packages)
      .filter(([path, { optional }]) => path && optional && existsSync(join(folder.path, path)))
      .map(([path]) => ({
        isTraces: path.includes('@opentelemetry'),
        bytes: sizeOf(join(folder.path, path)),
      }));
    const sum = (isTraces: boolean) =>
      sizes.reduce((total, each) => total + (each.isTraces === isTraces ? each.bytes : 0), 0) / 2 ** 20;
    expect(mebibytes - sum(true) - sum(false)).toBeLessThan(215);
    expect(sum(true)).toBeLessThan(30);
    expect(sum(false)).toBeLessThan(80);
  });

  it('starts with npm start, and answers', async () => {
    trellis = start(folder.path, ['npm', 'start'], settings);
    url = (await trellis.printed(/"url":"(http:[^"]+)"/))[1]!;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${settings.BOOTSTRAP_TOKEN}` },
      body: '{"query":"{ viewer { user { email } } }"}',
    });
    expect(await answer.json()).toEqual({ data: { viewer: { user: { email: 'admin@trellis.example' } } } });
    for (const path of ['/graphql', '/openapi/v1/docs']) {
      const page = await fetch(new URL(path, url), { headers: { Accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }
    const list = await fetch(new URL('/mcp?tools=all', url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${settings.BOOTSTRAP_TOKEN}` },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect((await list.json()).result.tools.length).toBeGreaterThan(40);
    expect(await (await fetch(new URL('/reference.md', url))).text()).toMatch(/^# Reference\n/);
  });

  it('finds the files that it reads beside the code', async () => {
    const get = async (path: string) => {
      const answer = await fetch(new URL(path, url), { headers: { Accept: 'text/html,*/*' } });
      return { status: answer.status, text: await answer.text() };
    };
    // The console with one of its scripts, the command line, Swagger UI, GraphiQL, and the documents of the operations.
    const page = await get('/');
    expect(page.text).toContain('<title>');
    const [script] = /\/console\/[^"]+\.js/.exec(page.text)!;
    expect((await get(script)).status).toBe(200);
    expect((await get('/cli/trellis.mjs')).text).toMatch(/^#!/);
    const docs = await get('/openapi/v1/docs');
    const [swagger] = /\/openapi\/v1\/docs\/swagger-ui\.\w+\.js/.exec(docs.text)!;
    expect((await get(swagger)).status).toBe(200);
    const [boot] = /\/graphiql\/boot\.\w+\.js/.exec((await get('/graphql')).text)!;
    const [editor] = /\/graphiql\/editor\.\w+\.js/.exec((await get(boot)).text)!;
    expect((await get(editor)).status).toBe(200);
    const { paths } = JSON.parse((await get('/api/v1/openapi.json')).text);
    const served = Object.keys(paths).map((path) => path.split('/').at(-1));
    const folder = join(root, 'src/operations/documents');
    const names = readdirSync(folder)
      .flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/^query (\w+)/gm)])
      .map(([, name]) => name!.replace(/\B[A-Z]/g, '-$&').toLowerCase());
    expect(names).toContain('list-releases');
    expect(served).toEqual(expect.arrayContaining(names));
    // The thread that reads YAML, and says where the mistake is.
    const made = await send(`mutation {
      createTeam(input: { name: "team" }) { __typename }
      createRegion(input: {
        name: "region", driver: DECLARED, url: "https://r.example", websocketUrl: "wss://r.example"
        httpDomain: "r.example", tcpDomain: "tcp.r.example"
      }) { __typename }
      openTeamRegion(input: { team: { name: "team" }, region: { name: "region" } }) { __typename }
    }`);
    expect(made.errors).toBeUndefined();
    const plan = await send(
      '{ planManifest(team: { name: "team" }, region: { name: "region" }, document: "application: [") { __typename } }',
    );
    expect(plan.errors![0].message).toContain('line 1');
  });

  it('sends webhooks, with packages that are loaded for the first one', async () => {
    const receiver = await startReceiver();
    const made = await send(`mutation {
      createTeam(input: { name: "hooked" }) { __typename }
      createWebhook(input: { team: { name: "hooked" }, url: "${receiver.url}", events: ["*"] }) { __typename }
      updateTeam(input: { team: { name: "hooked" }, alias: "h" }) { __typename }
    }`);
    expect(made.errors).toBeUndefined();
    await expect.poll(() => receiver.messages.map(({ payload }) => payload.type)).toContain('team.update');
    await receiver.close();
  });

  it('names lines of the sources in the stack traces of its log, and ends on SIGTERM', async () => {
    const renamed = (from: string, to: string) => {
      const other = new Sqlite(join(folder.path, 'data/trellis.db'));
      other.exec(`ALTER TABLE "${from}" RENAME TO "${to}"`);
      other.close();
    };
    renamed('Team', 'Missing');
    const stacks = () => trellis!.output.stdout.split('\n').filter((line) => line.includes('"stack":'));
    const isWhole = (line: string) => line.includes('/src/rest/parameters.ts');
    // The stack of a read that waits for its turn, on a busy machine, begins with the turn.
    const attempt = async () => {
      const answer = await fetch(new URL('/openapi/v1/teams', url), {
        headers: { Authorization: `Bearer ${settings.BOOTSTRAP_TOKEN}` },
      });
      expect(answer.status).toBe(500);
      return stacks().some(isWhole);
    };
    await expect.poll(attempt).toBe(true);
    expect((await trellis!.stop()).stdout).toContain('"msg":"stopping"');
    renamed('Missing', 'Team');
    const logged = stacks().find(isWhole)!;
    const frames = [
      ...(JSON.parse(logged).error.stack as string).matchAll(/\/src\/(\S+\.ts):(\d+):\d+\)?$/gm),
    ].map(([, file, line]) => ({ file: file!, text: linesOf(file!)[Number(line) - 1] }));
    expect(logged).not.toContain('/dist/chunks');
    // From the statement to the route that was called and the router that called it.
    expect(frames[0]).toMatchObject({
      file: 'db/sqlite/reader.ts',
      text: expect.stringMatching(/database\.prepare|prepared\.all|iterator\.next/),
    });
    expect(frames).toContainEqual({ file: 'rest/parameters.ts', text: expect.stringContaining('rangeOf(') });
    expect(frames.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['domain/team/rest.ts', 'rest/router.ts']),
    );
  });

  it('runs token and seed', async () => {
    const token = await run(folder.path, npm('token', '--user', 'admin@trellis.example'), settings);
    expect(token).toMatchObject({ code: 0, stderr: '' });
    expect(token.stdout).toMatch(/^trl_[\w-]{43}\n$/);
    const sizes = ['--teams', '1', '--applications', '1', '--components', '1', '--ports', '1'];
    const seed = await run(folder.path, npm('seed', ...sizes), settings);
    expect(seed).toMatchObject({ code: 0, stderr: '' });
    expect(seed.stdout).toContain('Wrote 4 ');
  });

  it('runs the demo, without a compiler', async () => {
    const demo = start(folder.path, npm('demo'), { ...settings, DATABASE_URL: 'file:data/demo.db' });
    await demo.printed(/^ +Stop /m);
    expect(demo.output.stderr).toBe('');
    // The thread that copies the log into the database file has found the driver, and empties the log.
    await expect
      .poll(() => statSync(join(folder.path, 'data/demo.db-wal')).size, { timeout: 60_000 })
      .toBe(0);
    await demo.stop();
  });
});

describe('prepare', () => {
  const folder = temporaryFolder('prepare');
  afterAll(folder.remove);
  const prepare = (...args: string[]) => run(folder.path, [process.execPath, 'prisma/prepare.mjs', ...args]);

  /** A folder with the script alone: no package can be found from it. */
  beforeAll(() => {
    mkdirSync(join(folder.path, 'prisma'));
    mkdirSync(join(folder.path, 'src'));
    cpSync(join(root, 'prisma/prepare.mjs'), join(folder.path, 'prisma/prepare.mjs'));
    writeFileSync(join(folder.path, 'src/main.ts'), '');
    writeFileSync(
      join(folder.path, 'package.json'),
      JSON.stringify({ scripts: { generate: 'echo generated', build: 'echo built && test ! -e broken' } }),
    );
  });

  it('ends well without the tools, and says that nothing was built and how to build', async () => {
    const { code, stderr } = await prepare();
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing was built');
    expect(stderr).toContain('prisma-cli');
    expect(stderr).toContain('There is no dist folder');
    expect(stderr).toContain('npm ci && npm prune --omit=dev');
  });

  it('leaves a dist that was built elsewhere as it is', async () => {
    mkdirSync(join(folder.path, 'dist'));
    writeFileSync(join(folder.path, 'dist/main.js'), 'as it was');
    const { code, stderr } = await prepare();
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing was built');
    expect(stderr).toContain('used as it is');
    expect(readFileSync(join(folder.path, 'dist/main.js'), 'utf8')).toBe('as it was');
    // Before the demo it has nothing to say.
    expect(await prepare('build')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('generates and builds where the tools are, and fails when that fails', async () => {
    const tools = ['@clack/prompts', '@modelcontextprotocol/sdk', '@prisma/generator-helper', 'esbuild'];
    for (const name of [...tools, 'prisma-cli', 'vite']) {
      mkdirSync(join(folder.path, 'node_modules', name), { recursive: true });
      writeFileSync(join(folder.path, 'node_modules', name, 'package.json'), '{}');
    }
    expect(await prepare()).toEqual({ code: 0, stdout: 'generated\nbuilt\n', stderr: '' });
    expect(await prepare('build')).toEqual({ code: 0, stdout: 'built\n', stderr: '' });
    writeFileSync(join(folder.path, 'broken'), '');
    expect((await prepare()).code).not.toBe(0);
    renameSync(join(folder.path, 'src'), join(folder.path, 'no-src'));
    const { code, stderr } = await prepare();
    expect(code).toBe(0);
    expect(stderr).toContain('there is no src folder');
  });
});
