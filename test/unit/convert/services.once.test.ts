import { describe, expect, it } from 'vitest';
import { converted } from '../../support/converted.ts';

const convert = (services: string, files: Record<string, string> = {}) => {
  const { components, told } = converted({ ...files, 'compose.yaml': services });
  // The sizes of instances are tested elsewhere.
  for (const component of Object.values(components))
    for (const field of ['cpuMillicores', 'cpuLimitMillicores', 'memoryMiB', 'memoryLimitMiB'] as const)
      delete component[field];
  return { components, told: told.filter((note) => !/ size$/.test(note)) };
};

const open = (...numbers: number[]) => numbers.map(String);
const portsOf = ({ components }: ReturnType<typeof convert>, name: string) =>
  Object.keys(components[name]!.ports ?? {});

describe('services that call each other', () => {
  it('get the port at which others call them, and their name', () => {
    const result = convert(
      'services: { api: { image: a/b:1 }, web: { image: w, environment: { API: "http://api:8000" } } }',
    );
    expect(result.components.api).toEqual({
      image: 'a/b:1',
      serviceName: 'api',
      ports: { 8000: { protocol: 'http', isInner: true } },
    });
    expect(result.components.web!.variables).toEqual({ API: 'http://api:8000' });
    expect(result.told).toEqual([]);
  });

  it('get names that are domain names, and so does each text that has them', () => {
    const { components, told } = convert(
      `services:
  my_api: { image: a, expose: [8000] }
  Cache_1: { image: redis }
  web:
    image: w
    entrypoint: [sh, -c, "wait http://my_api:8000"]
    command: [serve, --api-host=my_api, --cache, "redis://Cache_1"]
    environment: { API: "http://my_api:8000/my_api/x", CACHE_HOST: Cache_1, TABLE: my_api, LIST: "a:1,my_api:8000,Cache_1:6379" }
    healthcheck: { test: "curl -f http://my_api:8000/ || exit 1" }
    volumes: ["./nginx.conf:/etc/nginx/nginx.conf:ro"]`,
      { 'nginx.conf': 'proxy_pass http://my_api:8000; # my_api\nserver Cache_1:6379;\nroot /my_api;' },
    );
    expect([components.my_api!.serviceName, components.Cache_1!.serviceName]).toEqual(['my-api', 'cache-1']);
    expect(components.web).toMatchObject({
      entrypoint: "sh -c 'wait http://my-api:8000'",
      command: 'serve --api-host=my-api --cache redis://cache-1',
      variables: {
        API: 'http://my-api:8000/my_api/x',
        CACHE_HOST: 'cache-1',
        TABLE: 'my_api',
        LIST: 'a:1,my-api:8000,cache-1:6379',
      },
      probes: { readiness: { command: ['sh', '-c', 'curl -f http://my-api:8000/ || exit 1'] } },
      volumes: {
        'etc-nginx-nginx-conf': {
          fileContent: 'proxy_pass http://my-api:8000; # my_api\nserver cache-1:6379;\nroot /my_api;',
        },
      },
    });
    expect(told).toEqual(['CHANGED my_api name my_api is my-api', 'CHANGED Cache_1 name Cache_1 is cache-1']);
  });

  it('get names that differ', () => {
    const { components } = convert(
      'services: { a_b: { image: nginx }, a-b: { image: nginx }, 3x: { image: nginx } }',
    );
    const names = Object.values(components).map(({ serviceName }) => serviceName);
    expect(names).toEqual(['a-b', 'a-b-2', 's-3x']);
  });

  it('are called by one name, whatever other names they have', () => {
    const { components, told } = convert(`services:
  db: { image: postgres, container_name: shop-db, volumes: ["d:/var/lib/postgresql"], networks: { default: { aliases: [store] } } }
  web: { image: w, links: ["db:database"], environment: { A: "postgres://u:p@shop-db/x", B: "store:5432", C: "pg://database:5432" } }`);
    expect(components.web!.variables).toEqual({ A: 'postgres://u:p@db/x', B: 'db:5432', C: 'pg://db:5432' });
    expect(components.web!.dependsOn).toEqual(['db']);
    expect(told.filter((note) => note.includes('name'))).toEqual([
      'INFO db name shop-db is db',
      'INFO db name store is db',
      'INFO db name database is db',
    ]);
  });

  it('have ports by scheme and by the variable beside that of the host', () => {
    const result = convert(`services:
  api: { image: a }
  mail: { image: m }
  db: { image: d }
  web: { image: w, environment: { URL: "http://api/x", SMTP_HOST: mail, SMTP_PORT: "1025", DATABASE_URL: "postgres://u:1234@db/db" } }`);
    expect([portsOf(result, 'api'), portsOf(result, 'mail'), portsOf(result, 'db')]).toEqual([
      open(80),
      open(1025),
      open(5432),
    ]);
    expect(result.told).toEqual([]);
  });

  it('are told if nobody says at which port', () => {
    const { components, told } = convert(
      'services: { api: { image: a }, web: { image: w, environment: { API_HOST: api } } }',
    );
    expect(components.api).toEqual({ image: 'a' });
    expect(told).toEqual(['LOST api ports web']);
  });

  it('are not mistaken for what only looks like a name', () => {
    const result = convert(`services:
  redis: { image: x }
  db: { image: x }
  web: { image: w, environment: { IMAGE: "redis:7", U: "http://redis.example:81/", P: "db:123@host", N: "a-db:12", POSTGRES_DB: db, PATH: "/db:/x", V: "xdb:1" } }`);
    expect([portsOf(result, 'redis'), portsOf(result, 'db')]).toEqual([[], []]);
    expect(result.told).toEqual([]);
  });

  it('keep the outer ports that they have, and open inner ones beside', () => {
    const { components } = convert(
      'services: { api: { image: a, ports: ["80:80"] }, web: { image: w, environment: { A: "api:80", B: "api:81" } } }',
    );
    expect(components.api!.ports).toEqual({
      80: { protocol: 'http', isInner: true, isOuter: true },
      81: { protocol: 'tcp', isInner: true },
    });
  });
});

describe('services that share', () => {
  it('have one volume, under one name', () => {
    const { components, told } = convert(
      'services: { one: { image: a, volumes: ["s:/out"] }, two: { image: b, volumes: ["s:/in:ro", "own:/s"] }, three: { image: c, volumes: ["t:/x"] } }\nvolumes: { s: {}, t: {}, own: {} }',
    );
    const shared = { type: 'local', isShared: true };
    expect(components.one!.volumes).toEqual({ s: { path: '/out', ...shared } });
    expect(components.two!.volumes).toEqual({
      own: { path: '/s', type: 'local' },
      s: { path: '/in', ...shared },
    });
    expect(components.three!.volumes).toEqual({ t: { path: '/x', type: 'local' } });
    expect(told.filter((note) => note.startsWith('LOST'))).toEqual([]);
    expect(told).toContain('INFO two volumes s');
  });

  it('share folders as well, and are told of a volume that one of them mounts twice', () => {
    const { components, told } = convert(
      'services: { one: { image: a, volumes: ["./x:/out"] }, two: { image: b, volumes: ["./x:/in", "x:/own"] }, three: { image: c, volumes: ["t:/x", "t:/y"] } }',
    );
    const [[name]] = Object.entries(components.one!.volumes!) as [[string, object]];
    expect(components.two!.volumes![name]).toEqual({ path: '/in', type: 'local', isShared: true });
    expect(Object.keys(components.two!.volumes!)).toHaveLength(2);
    expect(told.filter((note) => note.startsWith('LOST'))).toEqual(['LOST three volumes t']);
  });
});

describe('a prefix', () => {
  it('begins the names of components and services, also where others call them', () => {
    const compose = `services:
  db: { image: postgres, healthcheck: { test: pg_isready -h db } }
  my_api: { image: a, expose: [8000], command: "serve --db postgres://db:5432/x", depends_on: [db] }
  web: { image: w, environment: { API: "http://my_api:8000/db", MODE: db, NAME: db.example }, depends_on: [my_api] }`;
    const { components, told } = converted({ 'compose.yaml': compose }, { prefix: 'shop-' });
    expect(Object.keys(components)).toEqual(['shop-db', 'shop-my_api', 'shop-web']);
    expect(components['shop-db']).toMatchObject({
      serviceName: 'shop-db',
      probes: { readiness: { command: ['sh', '-c', 'pg_isready -h shop-db'] } },
    });
    expect(components['shop-my_api']).toMatchObject({
      serviceName: 'shop-my-api',
      command: 'serve --db postgres://shop-db:5432/x',
      dependsOn: ['shop-db'],
    });
    expect(components['shop-web']).toMatchObject({
      variables: { API: 'http://shop-my-api:8000/db', MODE: 'db', NAME: 'db.example' },
      dependsOn: ['shop-my_api'],
    });
    expect(told).toContain('CHANGED web environment MODE=db');
  });
});

describe('services that end', () => {
  it('have no instances, and nobody depends on them', () => {
    const { components, told } = convert(`services:
  migrate: { image: a, command: migrate }
  db: { image: d }
  web: { image: w, depends_on: { migrate: { condition: service_completed_successfully }, db: { condition: service_healthy } } }
  job: { image: j, depends_on: { none: { condition: service_started }, other: { condition: service_started, required: false } } }`);
    expect(components.migrate).toMatchObject({ replicas: 0, command: 'migrate' });
    expect(components.web!.dependsOn).toEqual(['db']);
    expect(components.job!.dependsOn).toBeUndefined();
    expect(told).toEqual([
      'INFO web depends_on db',
      'CHANGED job depends_on none',
      'CHANGED migrate depends_on for web',
    ]);
  });

  it('become the command before a deploy of the component with their image and configuration', () => {
    const waits = (others: string) =>
      `{ ${others.split(' ').map((each) => `${each}: { condition: service_completed_successfully }`)} }`;
    const { components, told } = convert(`services:
  migrate: { image: a, command: [bin/migrate, "my db"], environment: { URL: "postgres://db:5432/x" }, depends_on: [db] }
  db: { image: postgres }
  worker: { image: a, environment: { URL: "postgres://db:5432/x", QUEUE: q }, depends_on: ${waits('migrate')} }
  api: { image: b, depends_on: ${waits('migrate')} }
  seed: { image: b, entrypoint: [sh, -c], command: [bin/seed], depends_on: ${waits('migrate')} }
  web: { image: b, depends_on: ${waits('seed other')} }
  other: { image: b, command: check, environment: { ONLY: here } }`);
    expect(components.migrate).toBeUndefined();
    expect(components.worker).toMatchObject({
      preDeployCommand: ['bin/migrate', 'my db'],
      dependsOn: ['db'],
    });
    expect(components.api!.dependsOn).toEqual(['worker']);
    expect(components.seed).toBeUndefined();
    expect(components.web).toMatchObject({
      preDeployCommand: ['sh', '-c', 'bin/seed'],
      dependsOn: ['worker'],
    });
    expect(components.other).toMatchObject({ replicas: 0 });
    expect(told.filter((line) => line.includes('depends_on'))).toEqual([
      'CHANGED migrate depends_on of worker',
      'INFO seed depends_on of web',
      'CHANGED other depends_on for web',
    ]);
  });
});
