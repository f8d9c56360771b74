import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../src/drivers/region/simulated/simulated.ts';
import { cliFor, watchedToken } from '../support/cli.ts';
import { useDriver } from '../support/deploys.ts';
import { type Place, unique } from '../support/fixtures.ts';
import { failing } from '../support/region-drivers.ts';
import { useTrellis } from '../support/trellis.ts';

let place: Place;
let folder: string;
let cli: ReturnType<typeof cliFor>;
let watched: Awaited<ReturnType<typeof watchedToken>>;
let placed: Record<string, string>;
const disk = mkdtempSync(join(tmpdir(), 'trellis-cli-disk-'));
/** Only root can mount a disk. */
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]).status === 0;
const trellis = useTrellis({
  drivers: [failing, createSimulatedRegion({ delayMs: 100 })],
  jobs: {},
  deprecatedUses: {},
});
beforeAll(async () => {
  watched = await watchedToken(trellis);
  place = await trellis.createPlace();
  placed = { TRELLIS_TEAM: place.team.name, TRELLIS_REGION: place.region.name };
  cli = cliFor({ ...trellis, adminToken: watched.token }, placed);
  folder = mkdtempSync(join(tmpdir(), 'trellis-cli-'));
});
afterAll(async () => {
  if (isMounted) spawnSync('umount', ['--lazy', disk]);
  for (const each of [folder, disk]) rmSync(each, { recursive: true, force: true });
});

const document = (name: string, replicas = 1) =>
  `application: ${name}\ncomponents:\n  web: { image: "nginx:1.28", replicas: ${replicas}, ports: { 80: { protocol: http } } }\n`;
const written = (text: string) => {
  const file = join(folder, `${unique('file')}.yaml`);
  writeFileSync(file, text);
  return file;
};

describe('trellis plan', () => {
  it('has a status that says whether there is something to do', async () => {
    const name = unique('shop');
    const file = written(document(name));
    const first = await cli(['plan', '-f', file]);
    expect([first.status, first.stderr]).toEqual([2, '']);
    expect(first.stdout).toContain(`${name}\n  + application ${name}\n`);
    expect(first.stdout).toContain('  + component web\n');
    expect(first.stdout).not.toContain('\u001b');
    const applied = await cli(['apply', '-f', file, '--yes']);
    expect([applied.status, applied.stderr]).toEqual([0, expect.stringMatching(/Job \d+ succeeded\.\n$/)]);
    expect(await cli(['plan', '-f', file])).toEqual({
      status: 0,
      stdout: `${name}: nothing to change\n`,
      stderr: '',
    });
    const changed = await cli(['plan', '-f', written(document(name, 2))]);
    expect([changed.status, changed.stdout]).toEqual([2, expect.stringContaining('      replicas: 1 → 2\n')]);
    const piped = await cli(['plan', '-f', '-', '--json'], { input: document(name, 2) });
    expect([piped.status, JSON.parse(piped.stdout)]).toMatchObject([
      2,
      [{ file: '-', application: name, changes: [{ action: 'UPDATE', object: 'COMPONENT', name: 'web' }] }],
    ]);
  });

  it('says where a mistake is, and what is refused', async () => {
    const file = written(`application: a\ncomponents:\n  web:\n    immage: nginx\n    replicas: -1\n`);
    const { status, stdout, stderr } = await cli(['plan', '-f', file]);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: \S+\.yaml has 2 errors \(INVALID_INPUT, request [\w-]{36}\)\n/);
    expect(stderr).toContain(
      `  ${file}:4:5: components.web.immage: Unknown field. Did you mean \`image\`?\n`,
    );
    const missing = await cli(['plan', '-f', '/nowhere.yaml']);
    expect(missing).toEqual({ status: 1, stdout: '', stderr: 'error: There is no file /nowhere.yaml.\n' });
    const nobody = await cli(['plan', '-f', file], { env: { TRELLIS_TOKEN: 'trl_wrong' } });
    expect([nobody.status, nobody.stderr]).toEqual([1, expect.stringContaining('UNAUTHENTICATED')]);
    const nowhere = await cli(['plan', '-f', file], { env: { TRELLIS_URL: 'http://127.0.0.1:9' } });
    expect([nowhere.status, nowhere.stderr]).toEqual([
      1,
      expect.stringContaining('http://127.0.0.1:9 cannot be reached'),
    ]);
    const wrong = await cli(['plam']);
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining("unknown command 'plam'")]);
  });

  it('needs a region where the team has several', async () => {
    const other = await trellis.createPlace();
    const file = written(document(unique('shop')));
    const env = { TRELLIS_TEAM: other.team.name, TRELLIS_REGION: '' };
    expect(await cli(['plan', '-f', file], { env })).toMatchObject({ status: 2, stderr: '' });
    const { teamId } = other.team;
    const more = { team: { teamId }, region: { regionId: place.region.regionId } };
    await trellis.succeed('openTeamRegion', more, '__typename');
    const { status, stdout, stderr } = await cli(['plan', '-f', file], { env });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /has several regions\. Choose one with --region, TRELLIS_REGION or `trellis use`: /,
    );
    for (const { region } of [place, other]) expect(stderr).toContain(region.name);
  });

  it('keeps what is applied later, unless it no longer holds', async () => {
    const name = unique('shop');
    const out = join(folder, 'plan.json');
    await cli(['plan', '-f', written(document(name)), '--out', out]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect((await cli(['apply', '--plan', out, '--yes'])).status).toBe(0);
    const again = await cli(['apply', '--plan', out, '--yes']);
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('(CONFLICT)')]);
  });

  it.runIf(isMounted)('leaves what is on a full disk as it is', async () => {
    const out = join(disk, 'plan.json');
    const file = written(document(unique('a')));
    expect((await cli(['plan', '-f', file, '--out', out])).status).toBe(2);
    const before = readFileSync(out, 'utf8');
    const large = written(`${document(unique('b'))}# ${'x'.repeat(400_000)}\n`);
    for (const path of [out, join(disk, 'other.json')]) {
      const { status, stdout, stderr } = await cli(['plan', '-f', large, '--out', path]);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^error: .*json cannot be written: ENOSPC: no space left on device.*\n$/);
      expect(stderr).toContain(`${path} cannot be written`);
    }
    expect(readdirSync(disk)).toEqual(['plan.json']);
    expect(readFileSync(out, 'utf8')).toBe(before);
  });

  it('writes over a file that others could read with one that they cannot', async () => {
    const out = written('old');
    chmodSync(out, 0o644);
    await cli(['plan', '-f', written(document(unique('a'))), '--out', out]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('names the application as it is called', async () => {
    const name = `${unique('my')} shop`;
    const input = `application: "${name}" # a comment\n`;
    const { stdout } = await cli(['plan', '-f', '-', '--json'], { input });
    expect(JSON.parse(stdout)).toMatchObject([{ application: name }]);
  });

  it('sends nothing that is not UTF-8', async () => {
    const file = join(folder, 'latin.yaml');
    writeFileSync(file, Buffer.from('application: caf\xe9\n', 'latin1'));
    expect(await cli(['plan', '-f', file])).toEqual({
      status: 1,
      stdout: '',
      stderr: `error: ${file} is not UTF-8.\n`,
    });
  });

  it('reads standard input as UTF-8, with or without a byte order mark', async () => {
    const input = document(unique('café'));
    const marked = await cli(['plan', '-f', '-'], { input: `\ufeff${input}` });
    expect([marked.status, marked.stderr]).toEqual([2, '']);
    const latin = { input: Buffer.from(input, 'latin1') };
    for (const args of [
      ['plan', '-f', '-'],
      ['call', 'find-components', '-'],
    ]) {
      const stderr = 'error: Standard input is not UTF-8.\n';
      expect(await cli(args, latin)).toEqual({ status: 1, stdout: '', stderr });
    }
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, TRELLIS_TOKEN: '' };
    const login = await cli(['login', trellis.url, '--token'], { ...latin, env });
    expect([login.status, login.stderr]).toEqual([1, 'error: Standard input is not UTF-8.\n']);
  });

  it.each([
    ['{ secret: { env: THE_TOKEN }, isSecret: false }', 'always secret'],
    ['{ isSecret: null, secret: { env: THE_TOKEN } }', 'always secret'],
    ['{ secret: { env: THE_TOKEN }, isSecret: &no false, label: a }', 'always secret'],
    ['{ label: &flag isSecret, secret: { env: THE_TOKEN }, *flag : false }', 'by its name'],
    ['{ isSecret: true, secret: { env: THE_TOKEN }, "isSecret": false }', 'by its name'],
    ['{ secret: { env: THE_TOKEN }, <<: { isSecret: false } }', 'by its name'],
    ['{ secret: { file: the-key.txt }, isSecret: false }', 'always secret'],
    ['{ ? { secret: { env: THE_TOKEN } } : 1 }', ''],
    ['{ secret: { env: THE_TOKEN, file: the-key.txt } }', ''],
    ['"1"\n    secret: { env: THE_TOKEN }', ''],
  ])('does not let a manifest show a secret: %s', async (entry, reason) => {
    writeFileSync(join(folder, 'the-key.txt'), 'the value');
    const text = `application: ${unique('a')}\ncomponents:\n  web:\n    image: a\n    variables:\n      PLAIN: ${entry}\n`;
    const file = written(text);
    const { status, stdout, stderr } = await cli(['plan', '-f', file], { env: { THE_TOKEN: 'the value' } });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).not.toContain('the value');
    expect(stderr).toContain(reason);
    if (reason) expect(stderr).toMatch(new RegExp(`^error: ${file}:6:\\d+: `));
  });

  it('takes secrets of files below the folder of the manifest, or of one that is allowed', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'trellis-cli-outside-'));
    writeFileSync(join(outside, 'key.txt'), 'the value');
    symlinkSync(join(outside, 'key.txt'), join(folder, 'link.txt'));
    mkdirSync(join(folder, 'sub..'), { recursive: true });
    writeFileSync(join(folder, 'sub..', 'key.txt'), 'the value');
    const plannedWith = (path: string, ...options: string[]) =>
      cli([
        'plan',
        '-f',
        written(
          `application: a\ncomponents: { web: { image: a, variables: { PLAIN: { secret: { file: ${JSON.stringify(path)} } } } } }\n`,
        ),
        ...options,
      ]);
    for (const path of ['link.txt', join(outside, 'key.txt'), `../${basename(outside)}/key.txt`]) {
      const refused = await plannedWith(path);
      expect([refused.status, refused.stderr]).toEqual([
        1,
        expect.stringContaining('which is outside the folder of the manifest'),
      ]);
      const allowed = await plannedWith(path, '--secret-folder', outside);
      expect([allowed.status, allowed.stderr]).toEqual([2, '']);
      expect(allowed.stdout).not.toContain('the value');
    }
    expect((await plannedWith('sub../key.txt')).status).toBe(2);
    for (const [path, reason] of [
      ['.', 'not a file of at most 1 MiB'],
      ['none.txt', 'cannot be read'],
    ]) {
      const refused = await plannedWith(path!);
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(reason!)]);
    }
    rmSync(outside, { recursive: true });
  });

  it('takes secrets from the environment and from files', async () => {
    const name = unique('shop');
    writeFileSync(join(folder, 'key.txt'), 'of a file\n');
    const text = `application: ${name}
components:
  web:
    image: a
    variables:
      TOKEN: { secret: { env: THE_TOKEN } }
      KEY:
        secret:
          file: key.txt
    immage: x
`;
    const file = written(text);
    const unset = await cli(['plan', '-f', file]);
    expect(unset.stderr).toContain('the environment variable THE_TOKEN, which is not set');
    const ofCommandLine = await cli(['plan', '-f', written(text.replace('THE_TOKEN', 'TRELLIS_TOKEN'))]);
    expect(ofCommandLine.stderr).toContain(
      'the environment variable TRELLIS_TOKEN, which only the command line',
    );
    const env = { THE_TOKEN: 'a: "b"\n#' };
    const wrong = await cli(['plan', '-f', file], { env });
    expect(wrong.stderr).toContain(`${file}:10:5: components.web.immage`);
    const right = written(text.replace('    immage: x\n', ''));
    expect((await cli(['apply', '-f', right, '--yes'], { env })).status).toBe(0);
    const { team } = await trellis.data(
      `query ($by: TeamRef!, $name: String!) { team(by: $by) { applications(search: $name) { nodes { components { nodes { variables { nodes { name value isSecret } } } } } } } }`,
      { by: { teamId: place.team.teamId }, name },
    );
    const [component] = team.applications.nodes[0].components.nodes;
    expect(component.variables.nodes).toEqual([
      { name: 'KEY', value: 'of a file', isSecret: true },
      { name: 'TOKEN', value: 'a: "b"\n#', isSecret: true },
    ]);
  });
});

describe('trellis apply', () => {
  it('follows the job with a line for each step of each component', async () => {
    const other = await trellis.createPlace();
    await useDriver(trellis, other.region.regionId, 'simulated');
    const env = { TRELLIS_TEAM: other.team.name, TRELLIS_REGION: other.region.name };
    const file = written(document(unique('shop')));
    const { status, stderr } = await cli(['apply', '-f', file, '--yes'], { env });
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Started job \d+\.\n(?: {2}web: apply (?:pending|running)\n)* {2}web: apply succeeded\nJob \d+ succeeded\.\n$/,
      ),
    ]);
  });

  it('fails if its job fails, unless nobody waits for it', async () => {
    const other = await trellis.createPlace();
    await useDriver(trellis, other.region.regionId, 'failing');
    const env = { TRELLIS_TEAM: other.team.name, TRELLIS_REGION: other.region.name };
    const name = unique('shop');
    const { status, stderr } = await cli(['apply', '-f', written(document(name)), '--yes'], { env });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/\nerror: Job \d+ failed.*\(FAILED\)\n$/)]);
    const left = await cli(['apply', '-f', written(document(name, 2)), '--yes', '--no-wait'], { env });
    expect([left.status, left.stderr]).toEqual([0, expect.stringMatching(/^Started job \d+\.\n$/)]);
  });

  it('needs a word more to destroy something', async () => {
    const name = unique('shop');
    await cli(['apply', '-f', written(document(name)), '--yes']);
    const file = written(`application: ${name}\ncomponents: {}\n`);
    const refused = await cli(['apply', '-f', file, '--prune', '--yes']);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('--allow-destruction')]);
    const done = await cli(['apply', '-f', file, '--prune', '--yes', '--allow-destruction']);
    expect(done.status).toBe(0);
    expect((await cli(['plan', '-f', file, '--prune'])).status).toBe(0);
  });

  it.each(['before', 'after'] as const)(
    'is made once when the connection breaks %s the answer',
    async (when) => {
      const name = unique('shop');
      const broken = await breaking(when, (body) => body.includes('applyManifest'));
      const { url } = broken;
      const { status, stderr } = await cli(['apply', '-f', written(document(name)), '--yes'], {
        env: { TRELLIS_URL: url },
      });
      broken.server.close();
      expect([status, stderr]).toEqual([0, expect.stringMatching(/Job \d+ succeeded\./)]);
      expect(broken.broken).toBe(1);
      const { team } = await trellis.data(
        'query ($by: TeamRef!) { team(by: $by) { events(action: "application.apply_manifest", first: 50) { nodes { manifest } } } }',
        { by: { teamId: place.team.teamId } },
      );
      expect(team.events.nodes.filter((event: any) => event.manifest === name)).toHaveLength(1);
    },
  );

  it('is refused for a viewer', async () => {
    const { token } = await trellis.createMember(place.team.teamId, 'VIEWER');
    const file = written(document(unique('a')));
    expect((await cli(['plan', '-f', file], { env: { TRELLIS_TOKEN: token } })).status).toBe(2);
    const { status, stderr } = await cli(['apply', '-f', file, '--yes'], { env: { TRELLIS_TOKEN: token } });
    expect([status, stderr]).toEqual([1, expect.stringContaining('(FORBIDDEN, request ')]);
  });
});

/** A proxy that passes requests on, and closes the connection of one while the gateway works, or once it has answered. */
async function breaking(when: 'before' | 'after', isMeant: (body: string) => boolean) {
  const found = { broken: 0, url: '', server: undefined as unknown as Server };
  found.server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { port } = new URL(trellis.url);
    const breaks = found.broken === 0 && isMeant(body.toString());
    if (breaks) found.broken++;
    const passed = request(
      { port, path: incoming.url, method: incoming.method, headers: incoming.headers },
      (answer) => {
        if (breaks) return answer.resume().on('end', () => incoming.socket.destroy());
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.end(body, () => breaks && when === 'before' && incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => found.server.listen(0, '127.0.0.1', resolve));
  found.url = `http://127.0.0.1:${(found.server.address() as AddressInfo).port}`;
  return found;
}

describe('trellis export', () => {
  it('writes what plans nothing', async () => {
    const name = unique('shop');
    await cli(['apply', '-f', written(document(name)), '--yes']);
    const { status, stdout } = await cli(['export', name]);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`application: ${name}\n`)]);
    expect((await cli(['plan', '-f', '-'], { input: stdout })).status).toBe(0);
    const json = await cli(['export', name, '--json']);
    expect(JSON.parse(json.stdout).application).toBe(name);
    const all = await cli(['export', '--all', '--out', folder]);
    expect(all.stdout.split('\n')).toContain(join(folder, `${name}.${place.region.name}.yaml`));
    expect(readFileSync(join(folder, `${name}.${place.region.name}.yaml`), 'utf8')).toBe(stdout);
    await cli(['apply', '-f', written(document(`${name}!`)), '--yes', '--no-wait']);
    writeFileSync(join(folder, `${name}.${place.region.name}.yaml`), 'as it was');
    const both = await cli(['export', '--all', '--out', folder]);
    expect([both.status, both.stdout]).toEqual([1, '']);
    expect(both.stderr).toMatch(new RegExp(`${name}!? and ${name}!? would both be written to `));
    expect(readFileSync(join(folder, `${name}.${place.region.name}.yaml`), 'utf8')).toBe('as it was');
    const none = await cli(['export', 'nothing']);
    expect([none.status, none.stderr]).toEqual([
      1,
      `error: There is no application nothing in team ${place.team.name}, region ${place.region.name}. (NOT_FOUND)\n`,
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
