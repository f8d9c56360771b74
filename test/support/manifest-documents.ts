import fc from 'fast-check';

// Arbitrary documents of applications, with the names and texts that YAML finds hard.

const awkward = [
  'yes',
  'null',
  '1.0',
  '0x1F',
  'a: b',
  '- x',
  '# no',
  '~',
  '{}',
  '[a]',
  "it's",
  '"q"',
  '&a',
  '*a',
  '!tag',
  '2026-01-01',
  'ä ö',
  '日本',
  '=',
  '<<',
  '@at',
  '`',
  '%',
  '|',
  '>',
  '?',
];
const texts = fc.oneof(
  fc.constantFrom(...awkward),
  fc.constantFrom(
    '',
    ' ',
    'line one\nline two\n',
    '\n\n',
    '  indented\n  more',
    'tab\there',
    'ends with colon:',
    'a #b',
    '\\n',
    'x'.repeat(200),
    'true',
    '8080',
    '-1',
    '.5',
    '1e3',
    '\u0085',
    '\u2028',
  ),
  fc
    .string({ maxLength: 20, unit: 'grapheme' })
    .filter(
      (text) => !/(?![\t\n\r])\p{Cc}|\p{Cn}|[\ufff9-\ufffd]|\p{Default_Ignorable_Code_Point}/u.test(text),
    ),
);
const names = fc.oneof(fc.constantFrom(...awkward), fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/));
const line = texts.map((text) => `x${text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '_')}`);
const variableNames = fc.stringMatching(/^[A-Z][A-Z_.-]{0,6}$/);

const variable = fc.oneof(
  texts,
  fc.record(
    {
      value: texts,
      isSecret: fc.boolean(),
      label: line.map((text) => text.trim().slice(0, 100)),
      isChangeable: fc.constant(true),
      portNumber: fc.integer({ min: 1, max: 65_535 }),
    },
    { requiredKeys: ['value'] },
  ),
);
const variables = fc.dictionary(variableNames, variable, { maxKeys: 4 });

const probe = fc
  .record(
    {
      initialDelaySeconds: fc.integer({ min: 0, max: 100 }),
      periodSeconds: fc.integer({ min: 1, max: 100 }),
      timeoutSeconds: fc.integer({ min: 1, max: 100 }),
      failureThreshold: fc.integer({ min: 1, max: 10 }),
      check: fc.oneof(
        fc.record({
          http: fc.record(
            {
              port: fc.integer({ min: 1, max: 65_535 }),
              path: fc.constantFrom('/', '/health?a=1'),
              scheme: fc.constantFrom('HTTP', 'https'),
              headers: fc.array(fc.record({ name: fc.constant('X-A'), value: fc.constantFrom('', 'b: c') }), {
                maxLength: 2,
              }),
            },
            { requiredKeys: ['port'] },
          ),
        }),
        fc.record({ tcp: fc.record({ port: fc.integer({ min: 1, max: 65_535 }) }) }),
        fc.record({
          grpc: fc.record(
            { port: fc.constant(5), service: fc.constantFrom('', 'a.B') },
            { requiredKeys: ['port'] },
          ),
        }),
        fc.record({
          command: fc.array(
            texts.filter((text) => text !== ''),
            { minLength: 1, maxLength: 3 },
          ),
        }),
      ),
    },
    { requiredKeys: ['check'] },
  )
  .map(({ check, ...rest }) => ({ ...check, ...rest }));

const volumes = fc
  .uniqueArray(
    fc
      .record(
        {
          name: names,
          path: fc.stringMatching(/^\/[a-z]{1,6}$/),
          type: fc.constantFrom('local', 'share-file', 'config-file', 'memoryfs'),
          fileContent: texts,
          capacityGiB: fc.integer({ min: 0, max: 100 }),
          accessMode: fc.constantFrom('RWO', 'RWX'),
          sharePolicy: fc.constant('exclusive'),
          isShared: fc.boolean(),
          snapshotSchedule: fc.record(
            {
              cron: fc.constantFrom('0 0 1 1 *', '*/5  8-18 * JAN MON-FRI'),
              timeZone: fc.constantFrom('UTC', 'Europe/Berlin', null),
              keep: fc.integer({ min: 1, max: 50 }),
            },
            { requiredKeys: ['cron', 'keep'] },
          ),
        },
        { requiredKeys: ['name', 'path', 'type'] },
      )
      // Only data is shared, and what is shared has no snapshots. Another type would keep what is not written.
      .map(({ isShared: isWanted, snapshotSchedule, ...rest }) => {
        const isShared = isWanted === true && ['local', 'share-file'].includes(rest.type);
        return { ...rest, isShared, ...(!isShared && snapshotSchedule && { snapshotSchedule }) };
      }),
    { maxLength: 3, comparator: (one, other) => one.name === other.name || one.path === other.path },
  )
  .map((all) =>
    Object.fromEntries(
      all.map(({ name, snapshotSchedule, ...volume }) => {
        const hasData = volume.type === 'local' || volume.type === 'share-file';
        return [name, { ...volume, ...(snapshotSchedule && hasData && { snapshotSchedule }) }];
      }),
    ),
  );

const ports = fc
  .uniqueArray(
    fc.record(
      {
        number: fc.constantFrom(80, 443, 3000, 5432, 8080, 9090),
        protocol: fc.constantFrom('http', 'tcp', 'grpc', 'mysql', 'UDP'),
        alias: fc.stringMatching(/^[A-Z][A-Z0-9_]{3,8}$/),
        isInner: fc.boolean(),
        isOuter: fc.boolean(),
      },
      { requiredKeys: ['number', 'protocol'] },
    ),
    {
      maxLength: 4,
      comparator: (one, other) =>
        one.number === other.number || (one.alias !== undefined && one.alias === other.alias),
    },
  )
  .map((all) => Object.fromEntries(all.map(({ number, ...port }) => [number, port])));

const schedules = fc.dictionary(
  names.filter((name) => name.trim() !== ''),
  fc.record(
    {
      cron: fc.constantFrom('0 0 1 1 *', '*/5  8-18 * JAN MON-FRI', '? * * * 0,6'),
      timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
      command: fc.array(texts, { maxLength: 2 }).map((rest) => ['run', ...rest]),
      concurrency: fc.constantFrom('FORBID', 'replace', 'ALLOW'),
      timeoutSeconds: fc.integer({ min: 1, max: 86_400 }),
      isPaused: fc.boolean(),
    },
    { requiredKeys: ['cron', 'command'] },
  ),
  { maxKeys: 3, noNullPrototype: true } as never,
);

const component = fc.record(
  {
    image: fc.constantFrom(
      'nginx:1.29',
      'registry.example:5000/a/b',
      `postgres@sha256:${'a'.repeat(64)}`,
      'redis:8',
    ),
    version: fc.constantFrom('1.0', 'latest', 'x'),
    description: texts,
    category: fc.constantFrom('APPLICATION', 'cache', 'STORE'),
    entrypoint: texts,
    command: texts,
    replicas: fc.integer({ min: 0, max: 5 }),
    cpuMillicores: fc.integer({ min: 0, max: 4000 }),
    memoryMiB: fc.integer({ min: 0, max: 4000 }),
    cpuLimitMillicores: fc.oneof(fc.constant('none'), fc.integer({ min: 4000, max: 8000 })),
    memoryLimitMiB: fc.oneof(fc.constant('none'), fc.integer({ min: 4000, max: 8000 })),
    gpuMemoryMiB: fc.integer({ min: 0, max: 10 }),
    extendMethod: fc.constantFrom('STATE', 'stateless'),
    kind: fc.constantFrom('web', 'mysql'),
    isInner: fc.boolean(),
    opensWebhooks: fc.boolean(),
    isUpgradedAfterBuild: fc.boolean(),
    checksPorts: fc.boolean(),
    needsRoot: fc.boolean(),
    preStopSeconds: fc.integer({ min: 0, max: 20 }),
    terminationGracePeriodSeconds: fc.integer({ min: 21, max: 100 }),
    deployDeadlineSeconds: fc.integer({ min: 10, max: 86_400 }),
    preDeployCommand: fc.array(fc.constantFrom('npm', 'run'), { minLength: 1, maxLength: 3 }),
    preDeployTimeoutSeconds: fc.integer({ min: 1, max: 86_400 }),
    source: fc.record(
      {
        kind: fc.constantFrom('SOURCE_CODE', 'container_run', 'CONTAINER_COMPOSE'),
        gitUrl: fc.constantFrom('https://git.example/a.git', 'git@git.example:a/b'),
        codeFrom: fc.constant('github'),
        gitProjectId: fc.integer({ min: 0, max: 9 }),
        codeVersion: fc.constantFrom('main', '1.0'),
        language: fc.constant('Go'),
        serverType: fc.constantFrom('git', 'svn'),
        oauthServiceId: fc.integer({ min: 1, max: 9 }),
        containerCommand: texts,
      },
      { requiredKeys: [] },
    ),
    probes: fc.record({ startup: probe, readiness: probe, liveness: probe }, { requiredKeys: [] }),
    variables,
    connectionVariables: variables,
    volumes,
    schedules,
    ports,
  },
  { requiredKeys: ['image'] },
);

/** An application whose routes and dependencies are among its own components. */
export const documents = fc
  .record(
    {
      note: texts,
      principal: line.map((text) => text.trim().slice(0, 60)),
      governanceMode: fc.constant('mesh'),
      orderIndex: fc.integer({ min: -5, max: 5 }),
      components: fc.dictionary(names, component, { maxKeys: 4, noNullPrototype: true } as never),
      picks: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(99)), { maxLength: 6 }),
      routeFields: fc.record(
        {
          weight: fc.integer({ min: 1, max: 100 }),
          domainCookie: fc.constantFrom('a=b', ''),
          domainHeader: fc.constantFrom('x=y;z=w', ''),
          pathRewrite: fc.boolean(),
          rewrites: fc.constant('[{"regex":"^/a","replacement":"/b"}]'),
          extensions: fc.constant(['a:b']),
          autoSsl: fc.boolean(),
          autoSslConfig: fc.constant('x'),
          configuration: fc.record(
            {
              bodySizeMB: fc.integer({ min: 0, max: 9 }),
              isBuffered: fc.boolean(),
              setHeaders: fc.constant([{ key: 'X-A', value: 'b' }]),
            },
            { requiredKeys: [] },
          ),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['components', 'picks', 'routeFields'] },
  )
  .map(({ picks, routeFields, components, ...application }) => {
    const copies = Object.entries(components as { [name: string]: any }).map(
      ([name, entry]) => [name, { ...entry }] as [string, any],
    );
    const all = copies.filter(([name]) => name.trim() !== '');
    for (const [index, [, entry]] of all.entries()) {
      const wanted = picks.flatMap(([from, to]) =>
        from % all.length === index && to % all.length !== index ? all[to % all.length]![0] : [],
      );
      if (wanted.length > 0) entry.dependsOn = [...new Set(wanted)];
    }
    const targets = all.flatMap(([name, { ports: own = {} }]) =>
      Object.entries(own as object).map(([number, port]) => ({
        component: name,
        port: Number(number),
        protocol: port.protocol as string,
      })),
    );
    const routes =
      targets.length === 0
        ? []
        : picks.map(([from, to, n]) => {
            const { protocol, ...target } = targets[from % targets.length]!;
            if (!['http', 'grpc'].includes(protocol)) return { ...target, endpoint: `0.0.0.0:${40_000 + n}` };
            return {
              ...target,
              ...(to % 3 !== 0 && { domain: `d${n}.$DOMAIN` }),
              path: to % 2 ? '/' : `/p${n}`,
              ...(n % 2 && routeFields),
            };
          });
    const keyOf = (route: any) =>
      route.endpoint ?? `${route.component} ${route.port} ${route.domain} ${route.path}`;
    const distinct = [...new Map(routes.map((route) => [keyOf(route), route])).values()];
    return {
      ...application,
      components: Object.fromEntries(all),
      ...(distinct.length > 0 && { routes: distinct }),
    };
  });
