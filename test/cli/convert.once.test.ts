import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Note } from '../../src/convert/claims.ts';
import { runCli } from '../support/cli.ts';
import { anySize } from '../support/converted.ts';
import { apply, plan } from '../support/manifests.ts';
import { useTrellis } from '../support/trellis.ts';

const folder = fileURLToPath(new URL('compose/', import.meta.url));

const trellis = useTrellis();

const convert = (file: string, ...options: string[]) => runCli(['convert', `${folder}${file}`, ...options]);

/** What is told of each file. */
const leftOut: Record<string, string[]> = {
  'airflow.yaml': ['airflow-apiserver.user', 'airflow-worker.volumes'],
  'dify.yaml': ['networks.*.internal'],
  'elk.yaml': ['filebeat.volumes', 'logstash.secrets', 'elasticsearch.configs'],
  'mastodon.yaml': ['db.shm_size', 'es.ulimits', 'networks.*.internal', 'web.volumes'],
  'nextcloud.yaml': ['variables', 'proxy.build', 'proxy.labels', 'proxy.volumes'],
  'outline.yaml': ['minio.deploy.restart_policy.condition', 'minio.logging'],
  'paperless.yaml': ['webserver.environment'],
  'penpot.yaml': ['penpot-backend.depends_on', 'penpot-postgres.stop_signal'],
  'voting.yaml': ['seed.profiles', 'vote.build', 'vote.volumes'],
  'zammad.yaml': ['zammad-init.volumes'],
};

describe('trellis convert', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

  it('is tried with ten files', () => {
    expect(files.sort()).toEqual(Object.keys(leftOut));
  });

  it.each(files)('makes a manifest of %s that can be applied, and lists everything else', async (file) => {
    const { status, stdout, stderr } = await convert(file, '--application', 'converted', '--json');
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const { manifest, notes } = JSON.parse(stdout) as { manifest: any; notes: Note[] };
    const count = Object.keys(manifest.components).length;
    expect(count).toBeGreaterThanOrEqual(4);
    const [first, ...lines] = stderr.trimEnd().split('\n');
    expect(first).toMatch(new RegExp(`^${count} services, (none|\\d+|and the file) needs? a decision`));
    expect(lines.length).toBeLessThan(30);
    const place = await trellis.createPlace();
    const document = JSON.stringify(manifest);
    const { changes } = await plan(trellis, place, document);
    const created = changes.filter(({ object }) => object === 'COMPONENT').map(({ name }) => name);
    expect(created.sort()).toEqual(Object.keys(manifest.components).sort());
    await apply(trellis, place, document);
    expect((await plan(trellis, place, document)).changes).toEqual([]);
    const told = new Set(notes.map(({ subject, key }) => [subject, key].filter(Boolean).join('.')));
    expect(leftOut[file]!.filter((key) => !told.has(key))).toEqual([]);
    for (const { grade, key, reason } of notes)
      expect(lines.some((line) => line.startsWith(grade) && line.includes(`${key}: ${reason}`))).toBe(true);
  });

  it('reads files of variables, and says which lines it cannot read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-convert-'));
    writeFileSync(join(folder, '.env'), 'TAG="1.2"\nnonsense here\n');
    const file = 'KEY="one\ntwo" # both\nTAB="a\\tb"\nPLAIN=\'a\\tb\'\nBROKEN="x" y\nPLAIN=last\n';
    writeFileSync(join(folder, 'web.env'), file);
    writeFileSync(
      join(folder, 'compose.yaml'),
      `services: { web: { image: "a:\${TAG}", env_file: web.env } }\n`,
    );
    const { stdout, stderr } = await runCli(['convert', join(folder, 'compose.yaml')]);
    rmSync(folder, { recursive: true });
    expect(parse(stdout).components.web).toMatchObject({
      image: 'a:1.2',
      variables: { KEY: 'one\ntwo', TAB: 'a\tb', PLAIN: 'last' },
    });
    expect(stderr).toContain('.env, line 2: Expected NAME=value.');
    expect(stderr).toContain('web.env, line 5: Only a comment can follow');
  });

  it('merges files, and the override that is beside a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-convert-'));
    const base =
      'services: { web: { image: a, environment: { A: 1 } }, tools: { image: t, profiles: [tools] } }';
    writeFileSync(join(folder, 'compose.yaml'), base);
    writeFileSync(join(folder, 'compose.override.yaml'), 'services: { web: { environment: { A: 2 } } }');
    writeFileSync(join(folder, 'prod.yaml'), 'services: { web: { image: b } }');
    const [main, prod] = [join(folder, 'compose.yaml'), join(folder, 'prod.yaml')];
    const beside = await runCli(['convert', main]);
    expect(parse(beside.stdout).components).toEqual({
      web: { image: 'a', ...anySize, variables: { A: '2' } },
    });
    const several = await runCli(['convert', '-f', main, '-f', prod, '--profile', 'tools']);
    expect(parse(several.stdout).components).toEqual({
      web: { image: 'b', ...anySize, variables: { A: '1' } },
      tools: { image: 't', ...anySize },
    });
    const prefixed = await runCli(['convert', main, '--prefix', 'shop-']);
    expect(Object.keys(parse(prefixed.stdout).components)).toEqual(['shop-web']);
    const refused = await runCli(['convert', main, '--prefix', 'Shop_']);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('A prefix has') });
    const both = await runCli(['convert', main, '-f', prod]);
    rmSync(folder, { recursive: true });
    expect(both).toMatchObject({ status: 1, stderr: expect.stringContaining('Specify one Compose file') });
  });

  it('reads what Compose has resolved from standard input', async () => {
    const input = JSON.stringify({
      name: 'shop',
      services: { web: { image: 'a', command: ['echo', '$$A'] } },
    });
    const { stdout } = await runCli(['convert', '-'], { input, env: { A: 'no' } });
    expect(parse(stdout)).toEqual({
      application: 'shop',
      components: { web: { image: 'a', command: "echo '$A'", ...anySize } },
    });
  });

  it('does not write the token of the command line where a file names it', async () => {
    const input =
      'services: { web: { image: "a:$TRELLIS_TOKEN", environment: ["TRELLIS_TOKEN", "TAG", "KEY=$TRELLIS_TOKEN"] } }';
    const { stdout, stderr } = await runCli(['convert', '-'], {
      input,
      env: { TRELLIS_TOKEN: 'the-token', TAG: 'the-tag' },
    });
    expect(stdout + stderr).not.toContain('the-token');
    expect(parse(stdout).components.web).toMatchObject({ variables: { TAG: 'the-tag' } });
  });

  it('fails with --strict if something would be lost or changed', async () => {
    const strictly = (service: string) =>
      runCli(['convert', '-', '--strict'], { input: `services: { web: { image: a, ${service} } }` });
    expect(await strictly('logging: { driver: x }')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^1 service, none needs a decision\nINFO /),
    });
    const changed = await strictly('working_dir: /x');
    expect(changed).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^1 service, 1 needs a decision: web\nCHANGED /),
    });
    expect(parse(changed.stdout).components.web).toEqual({ image: 'a', ...anySize });
  });

  it('reads no file outside of the folder of the Compose file', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'trellis-convert-'));
    const inside = join(outside, 'compose');
    mkdirSync(inside);
    writeFileSync(join(outside, 'outside.env'), 'KEY=outside\n');
    symlinkSync(join(outside, 'outside.env'), join(inside, '.env'));
    writeFileSync(join(inside, 'inside.env'), 'OTHER=inside\n');
    writeFileSync(
      join(inside, 'compose.yaml'),
      `services: { web: { image: "a:\${KEY:-none}", env_file: [../outside.env, inside.env], volumes: ["../outside.env:/a"] } }\n`,
    );
    const { status, stdout, stderr } = await runCli(['convert', join(inside, 'compose.yaml')]);
    rmSync(outside, { recursive: true });
    expect([status, parse(stdout).components.web]).toMatchObject([
      0,
      { image: 'a:none', variables: { OTHER: 'inside' } },
    ]);
    expect(stdout).not.toContain('KEY');
    for (const key of ['env_file', 'volumes'])
      expect(stderr).toMatch(new RegExp(`^\\w+ +web: ${key}: .*\\.\\./outside\\.env`, 'm'));
  });
});
