import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Note } from '../../src/convert/claims.ts';
import { runCli } from '../support/cli.ts';
import { apply, plan } from '../support/manifests.ts';
import { placeWithRuns } from '../support/schedules.ts';
import { useTrellis } from '../support/trellis.ts';

const file = fileURLToPath(new URL('kubernetes/bookshop.yaml', import.meta.url));

const trellis = useTrellis();

const converted = (input: string, ...options: string[]) =>
  runCli(['convert', '--kubernetes', '-', '--application', 'Bookshop', ...options], { input });

/** Maps in maps, each with one more space in front. */
const nested = (levels: number) =>
  Array.from({ length: levels }, (_, index) => `${' '.repeat(index)}a:`).join('\n');

describe('trellis convert --kubernetes', () => {
  it('makes a manifest of rendered manifests that can be applied', async () => {
    const { status, stdout, stderr } = await converted(readFileSync(file, 'utf8'), '--json');
    expect([status, stderr]).toEqual([0, expect.stringMatching(/^17 objects, \d+ need a decision: /)]);
    expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    const { manifest } = JSON.parse(stdout);
    expect(manifest).toMatchObject({
      application: 'Bookshop',
      routes: [
        { component: 'bookshop', port: 8080, domain: 'books.example.com', path: '/' },
        {
          component: 'bookshop',
          port: 8080,
          domain: 'beta.example.com',
          path: '/new',
          domainHeader: 'X-Beta=1',
        },
      ],
    });
    const { bookshop, database, newsletter } = manifest.components;
    expect(bookshop).toMatchObject({
      ...{ image: 'registry.example/bookshop:1.10', serviceName: 'bookshop', replicas: 2, needsRoot: true },
      entrypoint: `/entrypoint 'it'\\''s' 'a b'`,
      command: "serve --title 'Our books'",
      variables: {
        CURRENCY: '978',
        USER: { value: 'reader', isSecret: true },
        KEY: { value: 'pages-and-pages', isSecret: true },
        URL: { value: 'postgres://reader@database:5432', isSecret: true },
      },
      volumes: {
        'nginx-default.conf': {
          ...{ path: '/etc/nginx/conf.d/default.conf', type: 'config-file' },
          fileContent: 'server { listen 8080; }\n',
        },
        covers: { path: '/covers', type: 'share-file', capacityGiB: 2, accessMode: 'ReadWriteMany' },
      },
      ...{ cpuMillicores: 100, cpuLimitMillicores: 'none', memoryMiB: 128, memoryLimitMiB: 1_024 },
      placement: { minAvailable: 0 },
      terminationGracePeriodSeconds: 1_800,
      probes: {
        startup: { command: ['bookshop', 'check'], failureThreshold: 60 },
        readiness: { http: { port: 8080, path: '/ready' }, periodSeconds: 5 },
        liveness: { tcp: { port: 8080 }, failureThreshold: 6 },
      },
      ports: { 8080: { protocol: 'http', isInner: true, isOuter: true } },
    });
    expect(database).toEqual({
      ...{ image: 'postgres:18', serviceName: 'database', replicas: 1, extendMethod: 'state' },
      ...{ cpuMillicores: 500, cpuLimitMillicores: 'none', memoryMiB: 512, memoryLimitMiB: 'none' },
      volumes: {
        data: {
          path: '/var/lib/postgresql',
          type: 'share-file',
          capacityGiB: 10,
          accessMode: 'ReadWriteOnce',
        },
      },
      ports: { 5432: { protocol: 'tcp', isInner: true } },
    });
    expect(newsletter).toEqual({
      ...{ image: 'registry.example/newsletter:2', replicas: 0, needsRoot: true },
      ...{ cpuMillicores: 500, cpuLimitMillicores: 'none', memoryMiB: 512, memoryLimitMiB: 'none' },
      variables: {
        password: { value: 'pages-and-pages', isSecret: true },
        user: { value: 'reader', isSecret: true },
      },
      schedules: {
        newsletter: {
          ...{ cron: '0 6 * * 1', timeZone: 'Europe/Berlin', command: ['send', '--to', 'readers'] },
          ...{ concurrency: 'forbid', timeoutSeconds: 900, isPaused: false },
        },
      },
    });
    const place = await placeWithRuns(trellis);
    const document = JSON.stringify(manifest);
    await apply(trellis, place, document);
    expect((await plan(trellis, place, document)).changes).toEqual([]);
  });

  it('tells every object and every path that it does not take over', async () => {
    const { stdout } = await converted(readFileSync(file, 'utf8'), '--json');
    const { notes } = JSON.parse(stdout) as { notes: Note[] };
    const told = notes.map(({ grade, subject, key, reason }) => `${grade} ${key} ${subject}: ${reason}`);
    expect(told.sort()).toMatchInlineSnapshot(`
      [
        "CHANGED Component bookshop: the variable bad name",
        "CHANGED Deployment bookshop: containers[].resources.limits.nvidia.com/gpu: Instances have CPU and memory alone.",
        "CHANGED Deployment bookshop: containers[].workingDir: The image sets this for its instances.",
        "CHANGED Deployment bookshop: serviceAccountName: Instances have no rights in the cluster.",
        "CHANGED Deployment bookshop: the container metrics, because a component has one",
        "CHANGED Ingress bookshop: metadata.annotations: Annotations for a controller are not converted.",
        "CHANGED Ingress bookshop: the certificate",
        "CHANGED Job migrate: the Job, which a chart runs as a hook (pre-install,pre-upgrade): run its command by hand",
        "CHANGED Service bookshop: the port 80: it is reached by that of the container, 8080",
        "CHANGED ServiceAccount bookshop: the ServiceAccount, which has no counterpart",
        "CHANGED StatefulSet database: containers[].futureField: Is not known, and was left out.",
        "INFO ConfigMap nobody: the ConfigMap, which no component uses",
        "INFO CronJob newsletter: No size is written: an instance requests 500 millicores and 512 MiB, and has no such limit.",
        "INFO Deployment bookshop: containers[].imagePullPolicy: Deploys look for the image of a tag.",
        "INFO PersistentVolumeClaim covers: its size: it has 2 GiB",
        "INFO PersistentVolumeClaim covers: the data, because the new volume is empty",
        "INFO PersistentVolumeClaim data: the data, because the new volume is empty",
        "INFO StatefulSet database: No size is written: an instance requests 500 millicores and 512 MiB, and has no such limit.",
        "INFO StatefulSet database: that it has no readiness probe: instances are ready once they accept connections at a port",
        "LOST CronJob cleanup: the CronJob, which runs the command of its image (@daily): write it as a schedule",
        "LOST DaemonSet collector: the DaemonSet: instances are not started on each node",
        "LOST Deployment bookshop: the volume node at /node (hostPath)",
        "LOST Ingress bookshop: the match of /old/(.*) by a regular expression",
        "LOST Secret bookshop-database: the value of broken, which is not a text in base64",
      ]
    `);
  });

  it('reads lists of objects and several files, and says which names are taken', async () => {
    const deployment = (name: string, image: string) => ({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
      spec: { template: { spec: { containers: [{ image }] } } },
    });
    const list = {
      kind: 'List',
      items: [deployment('a', 'a:1'), deployment('a', 'a:2'), deployment('b', 'b')],
    };
    const { stdout, stderr } = await converted(JSON.stringify(list), '--json', file);
    const { components } = JSON.parse(stdout).manifest;
    expect(Object.keys(components)).toEqual(['a', 'b', 'bookshop', 'database', 'newsletter']);
    expect(components.a.image).toBe('a:1');
    expect(stderr).toContain('LOST     a: Deployment: the Deployment, because another has its name');
    const jobTemplate = {
      spec: { template: { spec: { containers: [{ image: 'a:3', command: ['run'] }] } } },
    };
    const cronJob = { kind: 'CronJob', metadata: { name: 'a' }, spec: { schedule: '@hourly', jobTemplate } };
    const both = await converted(
      JSON.stringify({ kind: 'List', items: [deployment('a', 'a:1'), cronJob] }),
      '--json',
    );
    const named = JSON.parse(both.stdout).manifest.components;
    expect([named.a.image, named['a-2'].image, named['a-2'].schedules.a.cron]).toEqual([
      'a:1',
      'a:3',
      '0 * * * *',
    ]);
    expect(both.stderr).toContain('a: CronJob: its name, which another has: it is a-2');
  });

  it.each([
    ['services: { web: { image: a } }', 'it has no kind'],
    ['kind: Service', 'has a Service without a name'],
    ['{ kind: Deployment, metadata: { name: a }, spec: { template: {} } }', 'Deployment a has no container'],
    ['{ kind: Service, metadata: { name: a }, spec: { ports: 80 } }', 'Service a has no list in ports'],
    ['a: &a [*a]', 'has an alias of what it is in'],
  ])('refuses %s', async (input, message) => {
    const { status, stdout, stderr } = await converted(input);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it.each([
    ['10 MB', () => `kind: List # ${'x'.repeat(10_000_000)}`, 'has more than 1 MiB'],
    ['nested lists', () => '['.repeat(100_000), 'is nested too deeply'],
    ['nested maps', () => `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 'is nested too deeply'],
    ['lists in a line', () => '- '.repeat(100_000), 'is nested too deeply'],
    ['lines that are indented', () => nested(1_000), 'is nested too deeply'],
    ['bytes that are no text', () => '\0\x01ELF', 'it has no kind'],
  ])('refuses %s before it takes much time or memory', async (_, input, message) => {
    const { status, stdout, stderr } = await converted(input());
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it('leaves out what would expand without end', async () => {
    const pod = (container: object) => ({
      template: { spec: { containers: [{ image: 'a', ...container }] } },
    });
    const env = Array.from({ length: 40 }, (_, index) => ({
      name: `A${index}`,
      value: index ? `$(A${index - 1})$(A${index - 1})` : 'x',
    }));
    const data = Object.fromEntries(env.map(({ name }) => [name, name]));
    const envFrom = env.flatMap(({ name }) =>
      env.map(({ name: other }) => ({ prefix: `${name}${other}`, configMapRef: { name: 'c' } })),
    );
    const items = [
      { kind: 'Deployment', metadata: { name: 'a' }, spec: pod({ env }) },
      { kind: 'Deployment', metadata: { name: 'b' }, spec: pod({ envFrom }) },
      { kind: 'ConfigMap', metadata: { name: 'c' }, data },
    ];
    const { status, stdout } = await converted(JSON.stringify({ kind: 'List', items }), '--json');
    const { manifest, notes } = JSON.parse(stdout);
    expect(status).toBe(0);
    const values: string[] = Object.values(manifest.components.a.variables);
    expect(values[10]).toBe('x'.repeat(1_024));
    expect(Math.max(...values.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    expect(Object.keys(manifest.components.b.variables).length).toBeLessThan(5_100);
    expect(notes).toContainEqual(
      expect.objectContaining({ subject: 'b', reason: 'the variables after the first 5000' }),
    );
  });
});
