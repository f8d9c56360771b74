import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import { cliFor } from '../support/cli.ts';
import { useDriver } from '../support/deploys.ts';
import { type Place, unique } from '../support/fixtures.ts';
import { failing } from '../support/region-drivers.ts';
import { useTrellis } from '../support/trellis.ts';

let place: Place;
let name: string;
let folder: string;
let cli: ReturnType<typeof cliFor>;
const trellis = useTrellis({
  drivers: [failing, createSimulatedRegion({ delayMs: 20 })],
  jobs: {},
  runs: {},
});
beforeAll(async () => {
  place = await trellis.createPlace();
  await useDriver(trellis, place.region.regionId, 'simulated');
  const application = await trellis.createApplication(place, unique('Shop'));
  ({ name } = application);
  await trellis.createComponent(application.appId, { name: 'Web', deploy: true, image: 'nginx:1.28' });
  folder = mkdtempSync(join(tmpdir(), 'trellis-cli-'));
  cli = cliFor(trellis, { XDG_CONFIG_HOME: folder, TRELLIS_TEAM: place.team.name });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const json = async (...args: string[]) => JSON.parse((await cli([...args, '--json'])).stdout);

describe('trellis deploy --image', () => {
  it('changes and deploys a component at once, and prints how its job has ended', async () => {
    const { job } = await json('deploy', `${name}/Web`, '--image', 'nginx:1.29');
    expect(job).toEqual({ uid: expect.any(Number), status: 'SUCCEEDED', error: null });
    const { components } = await json('status', name);
    expect(components).toMatchObject([{ image: 'nginx:1.29', hasUndeployedChanges: false }]);
  });

  it('works with the token of a pipeline', async () => {
    const args = ['token', 'ci', '--preset', 'deploy', '--component', `${name}/Web`];
    const { stdout: secret } = await cli(args);
    const env = { TRELLIS_TOKEN: secret.trim() };
    const { status, stderr } = await cli(['deploy', 'web', '--image', 'nginx:1.29.1'], { env });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/Job \d+ succeeded\.\n$/)]);
  });

  it('prints how a job has failed as well', async () => {
    const other = await trellis.createPlace();
    await useDriver(trellis, other.region.regionId, 'failing');
    const { appId, name: application } = await trellis.createApplication(other, unique('bad'));
    await trellis.createComponent(appId, { name: 'worker', image: 'nginx:1.28' });
    const deploying = ['deploy', `${application}/worker`, '--image', 'nginx:1.29', '--json'];
    const env = { TRELLIS_TEAM: other.team.name };
    const failed = await cli(deploying, { env });
    expect([failed.status, JSON.parse(failed.stdout).job.status]).toEqual([1, 'FAILED']);
    expect(failed.stderr).toMatch(/\nerror: Job \d+ failed.*\(FAILED\)\n$/);
  });
});

describe('names of components and applications', () => {
  it('match in any letter case', async () => {
    for (const path of [`${name}/web`, `${name.toUpperCase()}/WEB`, 'wEb']) {
      const { status, stderr } = await cli(['releases', path]);
      expect([path, status, stderr]).toEqual([path, 0, '']);
    }
    expect((await json('status', name.toLowerCase())).components).toHaveLength(1);
  });

  it('match as they are written first', async () => {
    const twice = unique('twice');
    const upper = await trellis.createApplication(place, twice.toUpperCase());
    await trellis.createApplication(place, twice);
    expect((await json('status', upper.name)).name).toBe(upper.name);
    const mixed = await cli(['status', twice.replace('t', 'T')]);
    expect([mixed.status, mixed.stderr]).toEqual([1, expect.stringContaining('CONFLICT')]);
  });
});

describe('trellis releases', () => {
  it('lists releases, and rollback brings one back', async () => {
    await cli(['deploy', `${name}/Web`, '--image', 'nginx:1.30']);
    const listed = await json('releases', `${name}/Web`);
    expect(listed[0]).toMatchObject({
      image: 'nginx:1.30',
      actor: { nickName: 'admin' },
      job: { status: 'SUCCEEDED' },
    });
    const { stdout } = await cli(['releases', `${name}/Web`]);
    expect(stdout).toMatch(
      /^RELEASE +CREATED +IMAGE +DIGEST +BY +JOB\n\d+ +\S+ +nginx:1\.30 +- +admin +\d+ SUCCEEDED\n/,
    );
    const { number } = listed.find(({ image }: { image: string }) => image === 'nginx:1.28');
    const back = await cli(['rollback', `${name}/Web`, '--release', String(number)]);
    expect([back.status, back.stdout]).toEqual([0, `Rolling ${name}/Web back to release ${number}.\n`]);
    expect((await json('status', name)).components[0].image).toBe('nginx:1.28');
    const unknown = await cli(['rollback', `${name}/Web`, '--release', '999']);
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('has no release 999')]);
    const noNumber = await cli(['rollback', `${name}/Web`, '--release', 'last']);
    expect(noNumber.stderr).toContain('--release must be a number');
  });
});

describe('trellis run', () => {
  it('prints what a command writes, and ends with its exit code', async () => {
    const good = await cli(['run', `${name}/Web`, '--', 'echo', 'hello world']);
    expect([good.status, good.stderr]).toEqual([0, '']);
    expect(good.stdout).toContain('exit code 0');
    const bad = await cli(['run', `${name}/Web`, '--', 'sh', '-c', 'exit 3']);
    expect([bad.status, bad.stdout]).toEqual([3, expect.stringContaining('exit code 3')]);
  });

  it('prints its final state as JSON, and does not wait if it is told so', async () => {
    const { status, stdout, stderr } = await cli(['run', `${name}/Web`, '--json', '--', 'true']);
    expect([status, JSON.parse(stdout)]).toEqual([
      0,
      { run: { uid: expect.any(String), status: 'SUCCEEDED', exitCode: 0, reason: null } },
    ]);
    expect(stderr).toContain('exit code 0');
    const started = await cli(['run', `${name}/Web`, '--no-wait', '--', 'sleep', '1']);
    expect([started.status, started.stdout]).toEqual([0, expect.stringMatching(/^Started run \S+\.\n$/)]);
  });

  it('fails for a run that ends without an exit code', async () => {
    const late = await cli(['run', `${name}/Web`, '--timeout', '1', '--', 'sleep', '600']);
    expect([late.status, late.stderr]).toEqual([1, expect.stringContaining('TIMED_OUT')]);
  });
});

describe('trellis use', () => {
  it('remembers a team and a region of a gateway', async () => {
    const env = { TRELLIS_TEAM: '' };
    const other = await trellis.createPlace();
    const before = await cli(['ls'], { env });
    expect([before.status, before.stderr]).toEqual([1, expect.stringContaining('`trellis use`')]);
    const { team, region } = place;
    const chosen = await cli(['use', '--team', team.name, '--region', region.name], { env });
    expect(chosen.stdout).toBe(`Team ${team.name}, region ${region.name}.\n`);
    expect((await cli(['ls'], { env })).stdout).toContain(name);
    // The region is that of its team.
    expect((await cli(['ls', '--team', other.team.name], { env })).status).toBe(0);
    expect(await json('use')).toEqual({ team: team.name, region: region.name });
    expect(JSON.parse(readFileSync(join(folder, 'trellis/places.json'), 'utf8'))).toEqual({
      [trellis.url]: { team: team.name, region: region.name },
    });
    const unknown = await cli(['use', '--team', 'nobody']);
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('NOT_FOUND')]);
    expect((await cli(['use', '--region', region.name])).stderr).toContain('Specify the team as well');
    expect((await cli(['use', '--forget'])).stdout).toBe('No default team is set.\n');
    expect((await cli(['ls'], { env })).status).toBe(1);
  });
});

describe('the help', () => {
  it('fits a screen, and a mistyped command gets one line', async () => {
    const { stdout } = await cli(['--help']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(stdout).toContain('Exit status: 0');
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect((await cli(['--version'])).stdout).toBe(`${version}\n`);
    const mistyped = await cli(['deplyo', name]);
    expect([mistyped.status, mistyped.stderr]).toEqual([
      1,
      "error: unknown command 'deplyo' (Did you mean deploy?)\n",
    ]);
  });
});
