// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of Compose files
import { describe, expect, it } from 'vitest';
import { convertCompose } from '../../../src/convert/compose/convert.ts';
import type { Files } from '../../../src/convert/files.ts';
import { anySize, type ComposeGiven, converted } from '../../support/converted.ts';

const one = (service: string, files: Record<string, string> = {}, options: Partial<ComposeGiven> = {}) => {
  const { components, told } = converted(
    { ...files, 'compose.yaml': `services: { web: { image: a, ${service} } }` },
    options,
  );
  return { ...components.web!, told };
};

describe('values of a Compose file', () => {
  it('are as they are written', () => {
    const { variables } = one(
      'environment: { BIG: 1234567890123456789, VERSION: 1.10, OCTAL: 010, BOOLEAN: True, TEXT: "1e3", EMPTY: "", DATE: 2026-11-29 }',
    );
    expect(variables).toEqual({
      BIG: '1234567890123456789',
      VERSION: '1.10',
      OCTAL: '010',
      BOOLEAN: 'True',
      TEXT: '1e3',
      EMPTY: '',
      DATE: '2026-11-29',
    });
  });

  it('are as resolved, for what Compose has resolved', () => {
    const resolved = {
      name: 'shop',
      services: {
        web: {
          command: null,
          entrypoint: null,
          environment: { BIG: '1234567890123456789', PRICE: '5$$' },
          image: 'nginx',
          networks: { default: null },
          ports: [{ mode: 'ingress', target: 80, published: '8080', protocol: 'tcp' }],
          volumes: [
            { type: 'bind', source: '/home/me/shop/web.conf', target: '/etc/web.conf', read_only: true },
          ],
          deploy: { resources: { limits: { memory: '536870912' } } },
        },
      },
      networks: { default: { name: 'shop_default', ipam: {} } },
    };
    const files = { '-': JSON.stringify(resolved), 'web.conf': 'on' };
    const { application, components, told } = converted(files, { names: ['-'], folder: '/home/me/shop' });
    expect(application).toBe('shop');
    expect(components.web).toEqual({
      image: 'nginx',
      serviceName: 'web',
      variables: { BIG: '1234567890123456789', PRICE: '5$' },
      ...{ cpuMillicores: 500, cpuLimitMillicores: 'none', memoryMiB: 512 },
      ports: { 80: { protocol: 'http', isInner: true, isOuter: true } },
      volumes: { 'etc-web-conf': { path: '/etc/web.conf', type: 'config-file', fileContent: 'on' } },
    });
    expect(told).toEqual(['INFO web size', 'INFO web ports 8080:80']);
  });

  it('have nested defaults, alternatives and required variables', () => {
    const env = { SET: 'set', EMPTY: '' };
    const shown = (text: string) => one(`environment: { V: '${text}' }`, {}, { env }).variables!.V;
    expect(shown('${A:-${B:-${SET}}}/$SET/${SET}s')).toBe('set/set/sets');
    expect(shown('${EMPTY-x}|${EMPTY:-x}|${EMPTY:+x}|${EMPTY+x}|${SET:+${SET}!}')).toBe('|x||x|set!');
    expect(shown('${A:-{"a":{"b":1}}}')).toBe('{"a":{"b":1}}');
    expect(shown('$$SET $1 5$ ${SET/a/b}')).toBe('$SET $1 5$ ${SET/a/b}');
    const { told } = one(`environment: { V: '$A \${B:?give it}' }`);
    expect(told.filter((note) => note.includes('variables'))).toEqual([
      'CHANGED variables A',
      'CHANGED variables B: give it',
    ]);
  });

  it('have variables in the name of the application', () => {
    const file = 'name: "${PROJECT:-shop}"\nservices: {}';
    expect(converted({ 'compose.yaml': file }).application).toBe('shop');
    expect(converted({ 'compose.yaml': file, '.env': 'PROJECT=store' }).application).toBe('store');
    expect(converted({ 'compose.yaml': file }, { env: { COMPOSE_PROJECT_NAME: 'own' } }).application).toBe(
      'own',
    );
    expect(converted({ 'compose.yaml': 'services: {}' }).application).toBe('folder');
  });

  it('that are empty are not written', () => {
    const { replicas, told } = one(
      'deploy: { replicas: "${X:-}" }, ports: [], mem_limit: "", stop_grace_period: ',
    );
    expect(replicas).toBeUndefined();
    expect(told).toEqual(['INFO web size']);
  });
});

describe('environment files', () => {
  it('are read by the rules of Compose', () => {
    const env = `export K="l1
l2"
B=/x
F=\${B}/y # not part of it
E="a\\nb\\$B"
S='$B \\n'
P
Q: yes
T=\${P:-none}`;
    const { variables, told } = one('env_file: .env', { '.env': env }, { env: { P: 'given' } });
    expect(variables).toEqual({
      K: 'l1\nl2',
      B: '/x',
      F: '/x/y',
      E: 'a\nb$B',
      S: '$B \\n',
      P: 'given',
      Q: 'yes',
      T: 'given',
    });
    expect(told).toEqual(['INFO web size']);
    expect(one('env_file: .env', { '.env': 'P' }).told).toContain('CHANGED variables P');
  });

  it('can be several, optional or raw, and are overridden by the environment', () => {
    const files = { 'a.env': 'A=1\nB=1', 'b.env': 'B=2\nC=$A\nD=2', 'raw.env': 'R="$A"\n#X=1\n' };
    const { variables, told } = one(
      'env_file: [a.env, { path: b.env }, { path: none.env, required: false }, { path: raw.env, format: raw }], environment: [D=3]',
      files,
    );
    expect(variables).toEqual({ A: '1', B: '2', C: '1', D: '3', R: '"$A"' });
    expect(told).toEqual(['INFO web size']);
    expect(one('env_file: [none.env, ../a.env]', files).told).toEqual([
      'INFO web size',
      'CHANGED web env_file none.env',
      'CHANGED web env_file ../a.env',
    ]);
  });
});

describe('several Compose files', () => {
  const base = `
services:
  web:
    image: a
    command: [one]
    environment: { A: 1, B: 1 }
    ports: ["8080:80", "9090:90"]
    volumes: ["data:/data", "logs:/logs"]
    expose: ["1000"]
    depends_on: [db]
    healthcheck: { test: one, interval: 10s }
  db: { image: b }`;
  const merged = (override: string) => {
    const files = { 'a.yaml': base, 'b.yaml': override };
    return converted(files, { names: ['a.yaml', 'b.yaml'] }).components;
  };

  it('are merged as Compose does', () => {
    const { web } = merged(`
services:
  web:
    command: two
    environment: [B=2, C=3]
    ports: ["8080:80", "7070:70"]
    volumes: ["other:/data"]
    expose: ["1000", "2000"]
    depends_on: { cache: { condition: service_started } }
    healthcheck: { interval: 20s }
  cache: { image: c }`);
    expect(web).toMatchObject({
      image: 'a',
      command: 'two',
      variables: { A: '1', B: '2', C: '3' },
      dependsOn: ['db', 'cache'],
      probes: { readiness: { command: ['sh', '-c', 'one'], periodSeconds: 20 } },
    });
    expect(Object.keys(web!.ports!)).toEqual(['70', '80', '90', '1000', '2000']);
    expect(Object.entries(web!.volumes!).map(([name, { path }]) => [name, path])).toEqual([
      ['other', '/data'],
      ['logs', '/logs'],
    ]);
  });

  it('have values that are reset or replaced as a whole', () => {
    const { web } = merged(`
services:
  web:
    ports: !override ["7070:70"]
    volumes: !reset []
    environment: { A: !reset null }
    healthcheck: !reset null`);
    expect(Object.keys(web!.ports!)).toEqual(['70', '1000']);
    expect(web).toMatchObject({ variables: { B: '1' } });
    expect(web!.volumes).toBeUndefined();
    expect(web!.probes).toBeUndefined();
  });

  it('extend services of other files, whose paths are relative to them', () => {
    const { components, told } = converted({
      'compose.yaml': `services: { web: { extends: { file: base/web.yaml, service: base }, environment: { B: 2 } } }`,
      'base/web.yaml': `services: { base: { extends: root, env_file: web.env, volumes: ["./web.conf:/etc/web.conf:ro"] }, root: { image: a, environment: { A: 1, B: 1 } } }`,
      'base/web.env': 'E=1',
      'base/web.conf': 'on',
    });
    expect(components).toEqual({
      web: {
        image: 'a',
        ...anySize,
        variables: { E: '1', A: '1', B: '2' },
        volumes: { 'etc-web-conf': { path: '/etc/web.conf', type: 'config-file', fileContent: 'on' } },
      },
    });
    expect(told).toEqual(['INFO web size']);
    const missing = 'services: { web: { image: a, extends: { file: none.yaml, service: x } } }';
    expect(converted({ 'compose.yaml': missing }).told).toContain('CHANGED web extends none.yaml: x');
  });

  it('are included, with variables of their own', () => {
    const { components } = converted({
      'compose.yaml':
        'include: [db/compose.yaml, { path: [a.yaml, b.yaml], env_file: a.env }]\nservices: { web: { image: "w:${TAG}" } }',
      '.env': 'TAG=1',
      'db/compose.yaml': 'services: { db: { image: "d:${TAG}-${OWN}", env_file: own.env } }',
      'db/.env': 'TAG=2\nOWN=own',
      'db/own.env': 'A=1',
      'a.yaml': 'services: { a: { image: "a:${A}" } }',
      'b.yaml': 'services: { a: { command: b } }',
      'a.env': 'A=3',
    });
    expect(components).toEqual({
      web: { image: 'w:1', ...anySize },
      db: { image: 'd:1-own', ...anySize, variables: { A: '1' } },
      a: { image: 'a:3', ...anySize, command: 'b' },
    });
  });

  it('have the services of the active profiles', () => {
    const files = {
      'compose.yaml':
        'services: { web: { image: a }, tools: { image: b, profiles: [debug] }, store: { image: c, profiles: ["", big] } }',
    };
    const namesOf = (options: Partial<ComposeGiven>) => Object.keys(converted(files, options).components);
    expect(namesOf({})).toEqual(['web', 'store']);
    expect(namesOf({ profiles: ['debug'] })).toEqual(['web', 'tools']);
    expect(namesOf({ env: { COMPOSE_PROFILES: 'big, debug' } })).toEqual(['web', 'tools', 'store']);
    expect(namesOf({ profiles: ['*'] })).toEqual(['web', 'tools', 'store']);
    expect(converted(files).told).toContain('INFO tools profiles debug');
  });
});

describe('a service', () => {
  it('has the ports that it publishes, and those on a loopback address inside only', () => {
    const inner = { protocol: 'tcp', isInner: true };
    const loopback = (port: string) => one(`ports: [${port}]`).ports;
    expect(loopback('{ target: 5432, published: "5432", host_ip: 127.0.0.1 }')).toEqual({ 5432: inner });
    expect(loopback('"127.0.0.1:5432:5432"')).toEqual({ 5432: inner });
    expect(loopback('"[::1]:5432:5432"')).toEqual({ 5432: inner });
    expect(
      one('ports: ["22", "0.0.0.0:23:23", "[::]:24:24", "9000-9001:9100-9101"], expose: [22, "25/udp"]')
        .ports,
    ).toEqual({
      22: { ...inner, isOuter: true },
      23: { ...inner, isOuter: true },
      24: { ...inner, isOuter: true },
      25: { protocol: 'udp', isInner: true },
      9100: { ...inner, isOuter: true },
      9101: { ...inner, isOuter: true },
    });
    expect(one('ports: ["10.0.0.1:22:22", "80:80/sctp", "x"]').told).toEqual([
      'INFO web size',
      'CHANGED web ports 10.0.0.1:22',
      'LOST web ports 80/sctp',
      'LOST web ports x',
    ]);
    expect(one('ports: ["53:53/udp", "53:53/tcp"]')).toMatchObject({
      ports: { 53: { protocol: 'tcp_udp', isOuter: true } },
      told: ['INFO web size'],
    });
    // Browsers that find no HTTP/3 use TCP.
    expect(one('ports: ["80:80", "80:80/udp"]')).toMatchObject({
      ports: { 80: { protocol: 'http', isOuter: true } },
      told: ['INFO web size', 'CHANGED web ports 80'],
    });
    expect(Object.keys(one('ports: ["10000-10200:10000-10200/udp"]').ports!)).toHaveLength(201);
  });

  it('has the times of its check, and a startup check for its start period', () => {
    const command = ['sh', '-c', 'pg_isready'];
    const defaults = { command, periodSeconds: 30, timeoutSeconds: 30, failureThreshold: 3 };
    expect(one('healthcheck: { test: pg_isready }').probes).toEqual({ readiness: defaults });
    const { startup, readiness } = one('healthcheck: { test: pg_isready, start_period: 2m }').probes as any;
    expect(readiness).toEqual(defaults);
    expect(startup).toEqual({ ...defaults, failureThreshold: 5 });
    const short =
      '{ test: [CMD, a, b], interval: 1m30s, timeout: 1500ms, retries: 5, start_period: 10s, start_interval: 2s }';
    expect(one(`healthcheck: ${short}`).probes).toEqual({
      startup: { command: ['a', 'b'], periodSeconds: 2, timeoutSeconds: 2, failureThreshold: 6 },
      readiness: { command: ['a', 'b'], periodSeconds: 90, timeoutSeconds: 2, failureThreshold: 5 },
    });
    for (const check of ['{ disable: true }', '{ test: [NONE] }'])
      expect(one(`healthcheck: ${check}`).probes).toBeUndefined();
    expect(one('healthcheck: { interval: 1s }').told).toContain('CHANGED web healthcheck');
  });

  it('has a grace period that is longer than the pause before it', () => {
    expect(one('stop_grace_period: 3s')).toMatchObject({
      terminationGracePeriodSeconds: 3,
      preStopSeconds: 0,
    });
    expect(one('stop_grace_period: 3s').told).toContain('INFO web stop_grace_period');
    expect(one('stop_grace_period: 1m30s').terminationGracePeriodSeconds).toBe(90);
    expect(one('stop_grace_period: 1m30s').preStopSeconds).toBeUndefined();
  });

  it('starts the entrypoint and the command that are written', () => {
    const started = (service: string) => {
      const { entrypoint, command, told } = one(service);
      return [entrypoint, command, ...told.filter((note) => !note.endsWith('size'))];
    };
    expect(started('entrypoint: ["sh", "-c", "echo \\"a b\\"; exec $$0"], command: ["it\'s", ""]')).toEqual([
      `sh -c 'echo "a b"; exec $0'`,
      `'it'\\''s' ''`,
    ]);
    expect(started('entrypoint: /start.sh --a "b c"')).toEqual(['/start.sh --a "b c"', undefined]);
    // An empty one is none.
    expect(started('entrypoint: [], command: [serve, "a b"]')).toEqual(["serve 'a b'", undefined]);
    expect(started('entrypoint: ""')).toEqual([undefined, undefined, 'CHANGED web entrypoint']);
  });

  it('has the size that is written', () => {
    const sizeOf = (service: string) => {
      const { cpuMillicores, cpuLimitMillicores, memoryMiB, memoryLimitMiB, told } = one(service);
      return [cpuMillicores, cpuLimitMillicores, memoryMiB, memoryLimitMiB, ...told];
    };
    expect(sizeOf('mem_limit: 0, cpus: 0')).toEqual([500, 'none', 512, 'none', 'INFO web size']);
    expect(sizeOf('mem_limit: 1.5g, cpus: 0.25')).toEqual([250, undefined, 1536, undefined]);
    expect(
      sizeOf('deploy: { resources: { limits: { memory: 1gb }, reservations: { memory: 256m } } }'),
    ).toEqual([500, 'none', 256, 1024, 'INFO web size']);
    expect(sizeOf('mem_reservation: 256m')).toEqual([500, 'none', 256, 'none', 'INFO web size']);
    expect(one('user: "0:0"')).toMatchObject({ needsRoot: true });
    expect(one('user: "1000"').told).toContain('CHANGED web user');
  });

  it('has a folder without files as a volume, and the files of a folder of settings', () => {
    const files = {
      'conf.d/a.conf': 'a',
      'conf.d/b.conf': 'b',
      'conf.d/inner/c.conf': 'c',
      'one.conf': 'one',
    };
    const { volumes, told } = one(
      'volumes: ["./volumes/db:/var/lib/postgresql/data", "./conf.d:/etc/nginx/conf.d:ro", "./one.conf:/etc/one.conf:ro"]',
      files,
    );
    expect(Object.values(volumes!)).toEqual([
      { path: '/var/lib/postgresql/data', type: 'local' },
      { path: '/etc/nginx/conf.d/a.conf', type: 'config-file', fileContent: 'a' },
      { path: '/etc/nginx/conf.d/b.conf', type: 'config-file', fileContent: 'b' },
      { path: '/etc/nginx/conf.d/inner/c.conf', type: 'config-file', fileContent: 'c' },
      { path: '/etc/one.conf', type: 'config-file', fileContent: 'one' },
    ]);
    expect(told).toEqual(['INFO web size']);
  });

  it('tells of folders and files of the host that it cannot have', () => {
    const told = (mount: string, files = {}) =>
      one(`volumes: ["${mount}"]`, files).told.filter((note) => !note.endsWith('size'));
    expect(told('/var/run/docker.sock:/var/run/docker.sock')).toEqual([
      'LOST web volumes /var/run/docker.sock:/var/run/docker.sock',
    ]);
    expect(told('../x:/etc/x:ro')).toEqual(['LOST web volumes ../x:/etc/x']);
    expect(told('./none.conf:/etc/none.conf')).toEqual(['LOST web volumes ./none.conf:/etc/none.conf']);
    const many = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`src/${index}.js`, 'x']));
    expect(told('./src:/app', many)).toEqual(['LOST web volumes ./src:/app']);
    expect(one('volumes: ["/srv/data:/data"]')).toMatchObject({
      volumes: { data: { path: '/data', type: 'local' } },
      told: ['INFO web size', 'LOST web volumes /srv/data:/data'],
    });
    const built = one('build: ./app, volumes: ["./app/src:/usr/src"]');
    expect([built.volumes, ...built.told.slice(-1)]).toEqual([
      undefined,
      'CHANGED web volumes ./app/src:/usr/src',
    ]);
    expect(told('data:/data/inner')).toEqual(['INFO web volumes']);
  });

  it('has a volume for the data of its database', () => {
    const volumesOf = (service: string) => {
      const { components } = converted({ 'compose.yaml': `services: { db: { ${service} } }` });
      return Object.values(components.db!.volumes ?? {}).map(({ path }) => path);
    };
    expect(volumesOf('image: "postgres:17"')).toEqual(['/var/lib/postgresql']);
    expect(volumesOf('image: "registry.example:5000/mariadb"')).toEqual(['/var/lib/mysql']);
    expect(volumesOf('image: postgres, volumes: ["x:/var/lib/postgresql/data"]')).toEqual([
      '/var/lib/postgresql/data',
    ]);
    expect(volumesOf('image: postgres, environment: { PGDATA: /data }')).toEqual(['/data']);
    expect(volumesOf('image: postgres, tmpfs: /var/lib/postgresql')).toEqual(['/var/lib/postgresql']);
    expect(volumesOf('image: postgres-exporter')).toEqual([]);
  });

  it('has the configs of the file as files', () => {
    const { components, told } = converted(
      {
        'compose.yaml': `
services: { web: { image: a, configs: [inline, { source: file, target: /etc/file }, env, outside] } }
configs: { inline: { content: "a $\${b}" }, file: { file: ./file.txt }, env: { environment: E }, outside: { external: true } }`,
        'file.txt': 'text',
      },
      { env: { E: 'value' } },
    );
    expect(
      Object.values(components.web!.volumes!).map(({ path, fileContent }) => [path, fileContent]),
    ).toEqual([
      ['/inline', 'a ${b}'],
      ['/etc/file', 'text'],
      ['/env', 'value'],
    ]);
    expect(told).toEqual(['CHANGED configs.*.external outside', 'INFO web size', 'LOST web configs outside']);
  });
});

describe('bad input', () => {
  const wrong = (files: Record<string, string>) => () => converted(files);

  it('has aliases that are bounded by what they expand to', () => {
    const anchors = Array.from({ length: 145 }, (_, index) => `  s${index}: { image: a, environment: *env }`);
    const text = `x-env: &env { A: "1", B: "2" }\nservices:\n${anchors.join('\n')}`;
    expect(Object.keys(converted({ 'compose.yaml': text }).components)).toHaveLength(145);
    const bomb = Array.from(
      { length: 9 },
      (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(10)}]`,
    );
    expect(wrong({ 'compose.yaml': `a0: &a0 x\n${bomb.join('\n')}` })).toThrow('expands to too many values');
    const large = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(100)}]`;
    expect(wrong({ 'compose.yaml': large })).toThrow('expands to too much text');
  });

  it('has defaults and chains of services that are bounded', () => {
    const nested = (count: number) =>
      `services: { a: { image: a, command: "${'${A:-'.repeat(count)}x${'}'.repeat(count)}" } }`;
    expect(converted({ 'compose.yaml': nested(50) }).components.a!.command).toBe('x');
    expect(wrong({ 'compose.yaml': nested(5_000) })).toThrow('too many defaults');
    const open = `services: { a: { image: a, command: "${'${A:-'.repeat(50_000)}" } }`;
    expect(converted({ 'compose.yaml': open }).components.a!.command).toHaveLength(250_000);
    const chain = (count: number) =>
      Array.from({ length: count }, (_, index) => `  s${index}: { extends: s${index + 1} }`).join('\n');
    const extending = (count: number) => ({
      'compose.yaml': `services:\n${chain(count)}\n  s${count}: { image: b }`,
    });
    expect(converted(extending(100)).components.s0!.image).toBe('b');
    expect(wrong(extending(2_000))).toThrow('extend each other');
  });

  it('is refused with the reason', () => {
    expect(wrong({ 'compose.yaml': 'x'.repeat(1_100_000) })).toThrow('has more than 1 MiB');
    expect(wrong({ 'compose.yaml': `a: ${'['.repeat(20_000)}` })).toThrow('is nested too deeply');
    expect(wrong({ 'compose.yaml': `a: ${'['.repeat(200)}${']'.repeat(200)}` })).toThrow(
      'is nested too deeply',
    );
    expect(wrong({ 'compose.yaml': 'a: &a { b: *a }' })).toThrow('an alias of what it is in');
    expect(wrong({ 'compose.yaml': 'a: *b' })).toThrow('without an anchor');
    expect(wrong({ 'compose.yaml': 'a: 1\na: 2' })).toThrow('has the key a twice');
    expect(wrong({ 'compose.yaml': 'web: { image: a }' })).toThrow('has no services');
    expect(wrong({ 'compose.yaml': '- a' })).toThrow('has no services');
    expect(wrong({ 'compose.yaml': 'services: { a: { image: a } }\n---\na: 1' })).toThrow(
      'has several documents',
    );
    expect(wrong({ 'compose.yaml': 'services: { a: { extends: b }, b: { extends: a } }' })).toThrow(
      'extends itself',
    );
    const included = {
      'a.yaml': 'include: [compose.yaml]',
      'compose.yaml': 'include: [a.yaml]\nservices: {}',
    };
    expect(wrong(included)).toThrow('includes itself');
    const files = { 'a.yaml': 'services: { a: { image: [] } }', 'b.yaml': 'services: { a: { image: b } }' };
    expect(() => converted(files, { names: ['a.yaml', 'b.yaml'] })).toThrow('cannot be merged');
  });

  it('reads nothing outside of the folder', () => {
    const asked: string[] = [];
    const files: Files = {
      get(path) {
        asked.push(path);
        return undefined;
      },
    };
    const text = `include: [../a.yaml, /b.yaml, a/../../c.yaml]
services: { web: { image: a, extends: { file: ../d.yaml, service: x }, env_file: [../e.env, ~/e.env], volumes: ["../f:/f", "/g:/g"], configs: [h] } }
configs: { h: { file: ../../h } }`;
    convertCompose({ sources: [{ name: 'compose.yaml', text }], files, env: {}, folderName: 'x' });
    expect(asked).toEqual(['.env']);
  });
});
