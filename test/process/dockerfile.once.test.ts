import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { execForm, healthCommand, readDockerfile, stepsOf } from '../support/dockerfile.ts';
import { root, run } from '../support/production.ts';
import { startsProcesses } from '../support/starts-processes.ts';

startsProcesses();

const stages = readDockerfile();
const last = stages.at(-1)!;
const compose = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'), { merge: true });
const services: [string, any][] = Object.entries(compose.services);
const gateways = services.filter(([, { image }]) => image === 'trellis');
const known = [...readFileSync(join(root, 'src/settings.ts'), 'utf8').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(
  ([, name]) => name!,
);
const isSetting = (name: string) => known.includes(name.replace(/_FILE$/, ''));

describe('the Dockerfile', () => {
  it('builds in one stage and runs in another, both on Node.js 24', () => {
    expect(stages).toHaveLength(2);
    for (const { image } of stages) expect(image).toMatch(/^node:24-/);
    const recommended = readFileSync(join(root, '.nvmrc'), 'utf8').trim();
    expect(recommended).toBe('24');
  });

  it('copies what there is, and what .dockerignore lets through', () => {
    const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
    const copies = stages.flatMap((stage) => stepsOf(stage, 'COPY'));
    expect(copies.length).toBeGreaterThan(5);
    for (const { text, options } of copies) {
      const sources = text.split(/\s+/).slice(0, -1);
      for (const source of sources) {
        if (options.from) {
          expect(stages.map(({ name }) => name)).toContain(options.from);
          expect(source).toMatch(/^\/app\//);
        } else {
          expect(existsSync(join(root, source)), source).toBe(true);
          const isLet = ignored.includes(`!${source}`);
          const hidden = ignored.filter((each) => source === each || source.startsWith(`${each}/`));
          expect(isLet ? [] : hidden, source).toEqual([]);
        }
      }
    }
    // What stands in a working folder and must not reach an image.
    for (const name of ['.git', 'node_modules', 'secrets', '.trellis', '*.key', '*.db']) {
      expect(ignored).toContain(name);
    }
  });

  it('runs scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const text = stages.flatMap((stage) => stepsOf(stage, 'RUN').map((step) => step.text)).join('\n');
    const named = [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name!);
    expect(named).toEqual(['generate', 'build']);
    for (const name of named) expect(scripts).toHaveProperty(name);
    expect(text).toContain('npm prune --omit=dev');
  });

  it('runs node itself as an ordinary user, with settings that there are', () => {
    expect(execForm(stepsOf(last, 'CMD')[0]!.text)).toEqual(['node', 'dist/main.js']);
    expect(stepsOf(last, 'USER').map(({ text }) => text)).toEqual(['node']);
    const names = [...stepsOf(last, 'ENV')[0]!.text.matchAll(/(\w+)=/g)].map(([, name]) => name!);
    expect(names.filter((name) => name !== 'NODE_ENV' && !isSetting(name))).toEqual([]);
    // SQLite is on the volume, so that the rest can be read-only.
    expect(stepsOf(last, 'VOLUME')[0]!.text).toBe('/data');
    expect(stepsOf(last, 'ENV')[0]!.text).toContain('DATABASE_URL=file:/data/');
  });

  it('has a health check that fails when the gateway does', async () => {
    const [command, ...args] = healthCommand(last);
    expect(command).toBe('node');
    let status = 200;
    const paths: (string | undefined)[] = [];
    const server = createServer((req, res) => {
      paths.push(req.url);
      res.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const PORT = String((server.address() as AddressInfo).port);
    const check = async () => (await run(root, [process.execPath, ...args], { PORT })).code;
    expect(await check()).toBe(0);
    status = 503;
    expect(await check()).toBe(1);
    await new Promise((resolve) => server.close(resolve));
    expect(await check()).toBe(1);
    expect(paths).toEqual(['/healthz', '/healthz']);
  });
});

describe('compose.yaml', () => {
  it('has two gateways, Postgres 18, and a proxy of a stock image', () => {
    expect(gateways.map(([name]) => name)).toEqual(['gateway-1', 'gateway-2']);
    expect(compose.services.database.image).toMatch(/^postgres:18/);
    expect(compose.services.proxy.image).toMatch(/^haproxy:\d/);
    expect(compose.services.proxy).not.toHaveProperty('build');
  });

  it('gives gateways settings that there are, and secrets in files', () => {
    for (const [name, { environment, secrets, read_only }] of gateways) {
      expect(
        Object.keys(environment).filter((each) => !isSetting(each)),
        name,
      ).toEqual([]);
      expect(read_only).toBe(true);
      for (const setting of ['DATABASE_URL', 'SECRET_KEY']) {
        const [, , folder, secret] = environment[`${setting}_FILE`].split('/');
        expect(folder).toBe('secrets');
        expect(secrets).toContain(secret);
      }
    }
  });

  it('refers to secrets, volumes, networks, files and services that there are', () => {
    for (const [name, service] of services) {
      for (const secret of service.secrets ?? []) expect(compose.secrets, name).toHaveProperty(secret);
      for (const network of service.networks) expect(compose.networks, name).toHaveProperty([network]);
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(':');
        if (source.startsWith('.')) expect(existsSync(join(root, source)), source).toBe(true);
        else expect(compose.volumes, name).toHaveProperty(source);
      }
      for (const [other, { condition }] of Object.entries<any>(service.depends_on ?? {})) {
        expect(condition).toBe('service_healthy');
        // A condition that nothing reports would never be fulfilled.
        const { healthcheck, image } = compose.services[other];
        expect(healthcheck !== undefined || image === 'trellis', other).toBe(true);
      }
    }
    for (const { file } of Object.values<any>(compose.secrets)) expect(file).toMatch(/^\.\/secrets\//);
  });

  it('has a proxy that names each gateway', () => {
    const text = readFileSync(join(root, 'docs/deploy/haproxy.cfg'), 'utf8');
    const servers = [...text.matchAll(/^ +server (\S+) (\S+):4000$/gm)].map(([, name, host]) => [name, host]);
    expect(servers).toEqual(gateways.map(([name]) => [name, name]));
    expect(compose.services.proxy.ports[0]).toContain(/bind :(\d+)/.exec(text)![1]);
  });
});
