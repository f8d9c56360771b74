import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliFor, runCli, watchedToken } from '../support/cli.ts';
import { type Place, unique } from '../support/fixtures.ts';
import { upgradedGroup } from '../support/installs.ts';
import { simulatedInstance } from '../support/instances.ts';
import { useTrellis } from '../support/trellis.ts';

let place: Place;
let appId: number;
let name: string;
let componentId: string;
let cli: ReturnType<typeof cliFor>;
let watched: Awaited<ReturnType<typeof watchedToken>>;
let folder: string;
const trellis = useTrellis({ deprecatedUses: {} });
beforeAll(async () => {
  watched = await watchedToken(trellis);
  place = await trellis.createPlace();
  ({ appId, name } = await trellis.createApplication(place, unique('shop')));
  ({ componentId } = await trellis.createComponent(appId, { name: 'web', deploy: true }));
  await trellis.addPort(componentId, 80, { protocol: 'HTTP' });
  cli = cliFor({ ...trellis, adminToken: watched.token }, { TRELLIS_TEAM: place.team.name });
  folder = mkdtempSync(join(tmpdir(), 'trellis-cli-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const json = async (...args: string[]) => {
  const { status, stdout, stderr } = await cli([...args, '--json']);
  expect([args[0], status, stderr.replace(/^(?: {2}.*|Job .*)\n/gm, '')]).toEqual([args[0], 0, '']);
  return JSON.parse(stdout);
};

describe('trellis token', () => {
  const grantsOf = async (secret: string) => {
    const query =
      '{ viewer { serviceAccount { name } accessToken { name expiresAt grants { actions application { appId: uid } component { uid } } } } }';
    return (await trellis.data(query, {}, secret)).viewer;
  };
  const create = async (...args: string[]) => {
    const { status, stdout, stderr } = await cli(['token', 'ci', ...args]);
    expect([status, stderr]).toEqual([0, '']);
    return grantsOf(stdout.trim());
  };

  it('creates tokens for what is often needed', async () => {
    const deploying = await create('--preset', 'deploy', '--component', `${name}/web`);
    expect(deploying.accessToken).toMatchObject({ name: 'ci', expiresAt: null });
    const [grant] = deploying.accessToken.grants;
    expect(grant.component).toEqual({ uid: componentId });
    expect(grant.actions.sort()).toEqual(['DEPLOY_COMPONENT', 'READ', 'READ_LOGS', 'UPDATE_COMPONENT']);
    const all = await create('--preset', 'application', '--application', name, '--expires-in-days', '7');
    expect(all.accessToken.grants[0].application).toEqual({ appId });
    expect(all.accessToken.grants[0].actions).toContain('DELETE_COMPONENT');
    expect(new Date(all.accessToken.expiresAt).getTime()).toBeGreaterThan(Date.now());
    const reading = await create('--preset', 'read');
    expect(reading.accessToken.grants).toEqual([{ actions: ['READ'], application: null, component: null }]);
    const account = { team: { teamId: place.team.teamId }, name: 'pipeline', role: 'DEVELOPER' };
    await trellis.succeed('createServiceAccount', account, '__typename');
    const robot = await create('--preset', 'read', '--service-account', 'pipeline');
    expect(robot.serviceAccount).toEqual({ name: 'pipeline' });
  });

  it('says what is missing', async () => {
    for (const [args, text] of [
      [['--preset', 'deploy'], 'Specify the component'],
      [['--preset', 'application'], 'Specify the application'],
      [['--preset', 'read', '--service-account', 'nobody'], 'no service account nobody'],
      [['--preset', 'everything'], 'Allowed choices are read, deploy, application'],
      [[], "required option '--preset"],
    ] as const) {
      const { status, stderr } = await cli(['token', 'ci', ...args]);
      expect([status, stderr]).toEqual([1, expect.stringContaining(text)]);
    }
  });
});

describe('trellis login', () => {
  it('keeps a token that the gateway accepts, for nobody else to read', async () => {
    const env = { HOME: folder, XDG_CONFIG_HOME: '' };
    const login = (token: string) => runCli(['login', `${trellis.url}/`], { env, input: `${token}\n` });
    expect(await login('trl_wrong')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('UNAUTHENTICATED'),
    });
    const { status, stdout } = await login(trellis.adminToken);
    const file = join(folder, '.config/trellis/credentials.json');
    expect([status, stdout]).toEqual([
      0,
      `Signed in to ${trellis.url} as admin. The token is stored in ${file}.\n`,
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: trellis.url, token: trellis.adminToken });
    const listed = await runCli(['ls', '-t', place.team.name], { env });
    expect([listed.status, listed.stdout]).toEqual([0, expect.stringContaining(name)]);
    // The token is not sent to another gateway.
    const elsewhere = { ...env, TRELLIS_URL: 'http://127.0.0.1:9' };
    const refused = await runCli(['ls'], { env: elsewhere });
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('There is no token for')]);
  });

  it('is needed first', async () => {
    const { status, stderr } = await runCli(['ls'], { env: { HOME: '/nowhere' } });
    expect([status, stderr]).toEqual([1, expect.stringContaining('Run `trellis login URL`')]);
  });
});

describe('trellis --help', () => {
  it('lists what the docs explain', async () => {
    const docs = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
    const help = async (...args: string[]) => (await cli([...args, '--help'])).stdout;
    const commands = [...(await help()).matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, command]) => command!);
    expect(commands.length).toBeGreaterThan(15);
    for (const command of commands.filter((each) => each !== 'help')) {
      expect(docs).toMatch(new RegExp(`\\btrellis ${command}\\b|\`(${command})[ \`]`));
      for (const [option] of (await help(command)).matchAll(/--(?!help)[a-z-]+/g)) {
        expect([command, option, docs.includes(option)]).toEqual([command, option, true]);
      }
    }
  });
});

describe('the daily commands', () => {
  it('need a team where there are several', async () => {
    const other = await trellis.createPlace();
    const { status, stderr } = await cli(['ls'], { env: { TRELLIS_TEAM: '' } });
    expect([status, stderr]).toEqual([1, expect.stringContaining(place.team.name)]);
    expect(stderr).toContain(other.team.name);
  });

  it('find a name in all teams where no team is chosen', async () => {
    const env = { TRELLIS_TEAM: '' };
    const [one, other] = [await trellis.createPlace(), await trellis.createPlace()];
    const own = unique('found');
    const { appId: first } = await trellis.createApplication(one, own);
    await trellis.createComponent(first, { name: 'api' });
    for (const args of [
      ['status', own],
      ['deploy', own],
      ['deploy', `${own}/api`, '--image', 'nginx:1.29'],
      ['releases', `${own}/api`],
    ]) {
      const { status, stderr } = await cli(args, { env });
      expect([args, status, stderr]).toEqual([args, 0, expect.not.stringContaining('error')]);
    }
    const twin = await trellis.createApplication(other, own);
    await trellis.createComponent(twin.appId, { name: 'api' });
    for (const [kind, ...args] of [
      ['applications', 'status', own],
      ['applications', 'deploy', own],
      ['components', 'deploy', `${own}/api`],
    ] as const) {
      const { status, stderr } = await cli(args, { env });
      expect([status, stderr]).toEqual([
        1,
        expect.stringContaining(`Several ${kind} have the name ${args[1]}:`),
      ]);
      for (const { team, region } of [one, other])
        expect(stderr).toContain(`(team ${team.name}, region ${region.name})`);
    }
    const chosen = await cli(['status', own, '--team', other.team.name, '--json'], { env });
    expect([chosen.status, JSON.parse(chosen.stdout).region.name]).toEqual([0, other.region.name]);
    const none = await cli(['restart', `${own}/nothing`], { env });
    expect([none.status, none.stderr]).toEqual([
      1,
      `error: There is no component ${own}/nothing in your teams. (NOT_FOUND)\n`,
    ]);
    const completed = await cli(['__complete', '--', 'logs', `${own}/`], { env });
    expect(completed.stdout).toBe(`${own}/api\n${own}/api\n`);
  });

  it('list and show applications', async () => {
    expect(await json('ls')).toMatchObject([
      { uid: appId, name, componentCount: 1, region: { name: place.region.name } },
    ]);
    const { stdout } = await cli(['ls']);
    expect(stdout.split('\n')[0]).toMatch(/^APPLICATION +REGION +STATE +COMPONENTS$/);
    expect(await json('status', name)).toMatchObject({ name, components: [{ name: 'web', replicas: 1 }] });
    const shown = await cli(['status', name]);
    expect(shown.stdout).toMatch(/^web +\w+ +1 +/m);
  });

  it('deploy, stop, start, restart and scale', async () => {
    const path = `${name}/web`;
    for (const [command, ...rest] of [
      ['deploy', name],
      ['deploy', path],
      ['restart', 'web'],
      ['stop', path],
      ['deploy', name, '--start-stopped'],
      ['stop', path],
      ['start', path],
      ['scale', path, '--replicas', '2', '--memory', '256'],
    ] as [string, ...string[]][]) {
      expect(await json(command, ...rest)).toMatchObject({ job: { uid: expect.any(Number) } });
    }
    expect((await json('status', name)).components[0].replicas).toBe(2);
    await json('stop', path);
    const left = await cli(['deploy', name]);
    expect([left.status, left.stdout]).toEqual([
      0,
      expect.stringContaining('stay stopped without --start-stopped: web'),
    ]);
    expect(await json('deploy', name)).toMatchObject({ job: null, leftStopped: ['web'] });
    await json('start', path);
    expect((await cli(['scale', path])).stderr).toContain('--replicas, --cpu or --memory');
    expect((await cli(['scale', path, '--replicas', 'two'])).stderr).toContain('--replicas must be a number');
    const twice = await cli(['start', path]);
    expect([twice.status, twice.stderr]).toEqual([
      1,
      expect.stringMatching(/\(CONFLICT, request [\w-]{36}\)/),
    ]);
  });

  it('open and close ports, and print addresses', async () => {
    const none = await cli(['open-url', 'web']);
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining('has no public address')]);
    const opened = await cli(['open', 'web', '80']);
    expect([opened.status, opened.stdout]).toEqual([
      0,
      expect.stringMatching(/^Port 80 of web is open\.\nhttp:\/\//),
    ]);
    const { stdout } = await cli(['open-url', 'web']);
    expect(opened.stdout.endsWith(stdout)).toBe(true);
    expect((await cli(['open', 'web', '80', '--inner'])).status).toBe(0);
    expect((await cli(['close', 'web', '80'])).stdout).toBe('Port 80 of web is closed.\n');
    const missing = await cli(['open', 'web', '81']);
    expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('NOT_FOUND')]);
  });

  it('roll back an upgrade', async () => {
    const other = await trellis.createApplication(place, unique('ring'));
    await upgradedGroup(trellis, other.appId);
    const { status, stdout } = await cli(['rollback', other.name]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/ was rolled back to 1\.0\.0\.\n$/)]);
    expect((await cli(['rollback', other.name])).stderr).toContain('has no upgrade to roll back');
  });

  it('print logs', async () => {
    const { component, instance } = await simulatedInstance(trellis, place.team.teamId);
    const query = 'query ($by: ComponentRef!) { component(by: $by) { name application { name } } }';
    const { name: own, application } = (await trellis.data(query, { by: component })).component;
    const path = `${application.name}/${own}`;
    const { status, stdout } = await cli(['logs', path, '--tail', '1']);
    expect([status, stdout]).toEqual([0, expect.stringContaining(instance)]);
    const found = async (search: string) =>
      (await cli(['logs', path, '--search', search, '--tail', '2'])).stdout;
    expect(await found('get /HEALTH')).toContain('GET /health 200');
    expect(await found('no such line')).toBe('');
  });

  it('complete commands, options and names', async () => {
    const completed = async (...words: string[]) =>
      (await cli(['__complete', '--', ...words])).stdout.trim().split('\n');
    expect(await completed('re')).toEqual(['restart', 'releases']);
    expect(await completed('status', name.slice(0, -2))).toEqual([name]);
    expect(await completed('logs', `${name}/`)).toEqual([`${name}/web`]);
    expect(await completed('apply', '--pl')).toEqual(['--plan']);
    const named = `a;touch $(x) "q" 'r' ${unique('é')}`;
    await trellis.createApplication(place, named);
    const inBash = (last: string) => cli(['__complete', '--bash', '--', 'status', last]);
    const [quoted] = (await inBash('a\\;to')).stdout.split('\n');
    expect(quoted).toBe(named.replace(/[;$()"' ]/g, '\\$&'));
    expect((await inBash('"a;to')).stdout).toBe('');
    expect((await inBash(`"${name.slice(0, -2)}`)).stdout).toBe(`${name}\n`);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await cli(['completion', shell])).stdout).toContain('__complete');
    expect((await cli(['completion', 'tcsh'])).status).toBe(1);
  });
});

describe('several command lines in one process', () => {
  it('have an environment, an output and a status of their own', async () => {
    const other = await trellis.createPlace();
    const elsewhere = await trellis.createApplication(other, unique('elsewhere'));
    const [here, there, failed, ...helps] = await Promise.all([
      cli(['ls']),
      cli(['ls'], { env: { TRELLIS_TEAM: other.team.name } }),
      cli(['status', 'nothing']),
      cli(['ls', '--help']),
      cli(['status', '--help']),
    ]);
    expect([here.status, here.stdout, here.stderr]).toEqual([0, expect.stringContaining(name), '']);
    expect(here.stdout).not.toContain(elsewhere.name);
    expect([there.status, there.stdout]).toEqual([0, expect.stringContaining(elsewhere.name)]);
    expect(there.stdout).not.toContain(name);
    expect([failed.status, failed.stdout]).toEqual([1, '']);
    expect(helps.map(({ stdout }) => stdout.split('\n')[0])).toEqual([
      'Usage: trellis ls [options]',
      'Usage: trellis status [options] <application>',
    ]);
  });
});

// The last test, so that it has seen the requests of the others.
describe('the command line', () => {
  it('uses nothing that is deprecated', async () => {
    expect(watched.deprecated()).toEqual([]);
    await trellis.data('{ teams { nodes { isActive } } }', {}, watched.token);
    expect(watched.deprecated()).toEqual(['Team.isActive']);
  });
});
