import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCli } from '../support/cli.ts';
import { plan } from '../support/manifests.ts';
import { useTrellis } from '../support/trellis.ts';

const folder = fileURLToPath(new URL('compose/', import.meta.url));

const trellis = useTrellis();

const convert = (file: string, ...options: string[]) => runCli(['convert', `${folder}${file}`, ...options]);

/** What each file has that a manifest does not. */
const leftOut: Record<string, string[]> = {
  'airflow.yaml': [
    'airflow-apiserver.user',
    'airflow-init.entrypoint',
    'airflow-worker.volumes',
    'flower.profiles',
  ],
  'dify.yaml': ['api.volumes', 'networks', 'ssrf_proxy.entrypoint', 'weaviate.profiles'],
  'elk.yaml': [
    'configs',
    'elasticsearch.configs',
    'filebeat.volumes',
    'logstash.secrets',
    'setup.build',
    'setup.init',
  ],
  'mastodon.yaml': ['db.shm_size', 'db.volumes', 'es.ulimits', 'networks'],
  'nextcloud.yaml': [
    '$MYSQL_ROOT_PASSWORD',
    'cron.entrypoint',
    'proxy.build',
    'proxy.labels',
    'proxy.volumes',
  ],
  'outline.yaml': ['https-portal.restart', 'minio.deploy.restart_policy', 'minio.logging'],
  'paperless.yaml': ['webserver.environment.PAPERLESS_SECRET_KEY', 'webserver.volumes'],
  'penpot.yaml': ['penpot-backend.depends_on', 'penpot-postgres.stop_signal'],
  'voting.yaml': ['result.entrypoint', 'seed.profiles', 'vote.build', 'vote.networks', 'vote.volumes'],
  'zammad.yaml': ['zammad-init.user', 'zammad-redis.restart'],
};

describe('trellis convert', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

  it('is tried with ten files', () => {
    expect(files.sort()).toEqual(Object.keys(leftOut));
  });

  it.each(files)('makes a manifest of %s that plans, and lists everything else', async (file) => {
    const { status, stdout, stderr } = await convert(file, '--application', 'converted');
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const manifest = parse(stdout);
    expect(Object.keys(manifest.components).length).toBeGreaterThanOrEqual(5);
    const { changes } = await plan(trellis, await trellis.createPlace(), stdout);
    const created = changes.filter(({ object }) => object === 'COMPONENT').map(({ name }) => name);
    expect(created.sort()).toEqual(Object.keys(manifest.components).sort());
    const told = new Set([...stderr.matchAll(/^not converted: (\S+): /gm)].map(([, key]) => key!));
    expect(leftOut[file]!.filter((key) => !told.has(key))).toEqual([]);
  });

  it('reads files of variables as the console does, and says which lines it cannot read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trellis-convert-'));
    writeFileSync(join(folder, '.env'), 'TAG="1.2"\nnonsense\n');
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
    expect(stderr).toContain('not converted: env_file: .env, line 2: Expected NAME=value.');
    expect(stderr).toContain('not converted: web.env_file: web.env, line 5: Only a comment can follow');
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
    for (const key of ['web.env_file', 'web.volumes'])
      expect(stderr).toContain(`not converted: ${key}: ../outside.env is not`);
  });
});
