import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { everyChange } from '../support/every-change.ts';
import type { All, Person } from '../support/fixtures.ts';
import { type GraphqlResult, startTrellis, type Trellis } from '../support/trellis.ts';
import { expectUnchanged } from '../support/unchanged.ts';

const mutations = schema.getMutationType()!.getFields();

let trellis: Trellis;
/** For every mutation an input that would succeed, with all its fields. */
let good: Record<string, any>;
let all: All;

/** What the inputs of `everyChange` leave out, but for what `filled` adds: optional fields, above all those with objects. */
function optional(changes: Record<string, any>, person: Person): Record<string, object> {
  const component = { componentId: all.component.componentId };
  const named = { volume: { at: { component, name: 'data' } } };
  const extensions = [{ key: 'a', value: 'b' }];
  const timing = { cron: '30 3 * * MON-FRI', timeZone: 'Europe/Berlin', concurrency: 'REPLACE' };
  const scheduled = { ...timing, command: ['true'], timeoutSeconds: 60 };
  const resources = {
    ...{ replicas: 1, cpuMillicores: 1, memoryMiB: 1 },
    ...{ cpuLimitMillicores: 1, memoryLimitMiB: 1 },
  };
  const volume = {
    name: 'v',
    path: '/v',
    type: 'config-file',
    fileContent: 'x',
    capacityGiB: 1,
    accessMode: 'RWX',
    sharePolicy: 'all',
  };
  const application = {
    name: 'shop',
    note: 'a',
    principal: 'b',
    governanceMode: 'c',
    orderIndex: 1,
    logo: 'https://example.org',
  };
  const configured = {
    ...resources,
    name: 'web',
    image: 'nginx:1',
    version: '1',
    description: 'x',
    category: 'CACHE',
    entrypoint: 'sh -c',
    command: 'run',
    gpuMemoryMiB: 1,
    extendMethod: 'STATE',
    kind: 'web',
    preStopSeconds: 1,
    terminationGracePeriodSeconds: 2,
    deployDeadlineSeconds: 10,
    preDeployCommand: ['migrate'],
    preDeployTimeoutSeconds: 10,
    source: {
      kind: 'SOURCE_CODE',
      codeFrom: 'x',
      gitUrl: 'https://git.example/x',
      gitProjectId: 1,
      codeVersion: 'main',
      language: 'Go',
      serverType: 'git',
      oauthServiceId: 1,
      containerCommand: 'run',
    },
  };
  const region = {
    alias: 'North',
    url: 'https://north.example',
    websocketUrl: 'wss://north.example',
    httpDomain: 'north.example',
    tcpDomain: 'north.example',
    description: 'x',
    cpuCores: 1.5,
    memoryMiB: 1,
    diskGiB: 1.5,
    credentials: { token: 'x', caCertificate: 'x', clientCertificate: 'x', clientKey: 'x' },
  };
  const httpRule = {
    certificate: changes.replaceCertificate.certificate,
    domain: 'record.example',
    path: '/',
    domainCookie: 'a=b',
    domainHeader: 'a=b',
    pathRewrite: true,
    rewriteRules: [{ regex: '^/a', replacement: '/b', flag: 'last' }],
    weight: 50,
    extensions: ['a:b'],
    autoSsl: true,
    autoSslConfig: 'x',
    configuration: {
      bodySizeMB: 1,
      bufferCount: 1,
      bufferSizeKB: 1,
      isBuffered: true,
      connectTimeoutSeconds: 1,
      readTimeoutSeconds: 1,
      sendTimeoutSeconds: 1,
      setHeaders: [{ key: 'A', value: 'b' }],
    },
  };
  const webhook = {
    document:
      'query($event: ID!, $first: Int) { node(id: $event) { id } teams(first: $first) { totalCount } }',
    variables: { first: 3 },
  };
  const published = {
    name: 'a',
    description: 'a',
    logo: 'https://example.org/logo.svg',
    versionAlias: 'a',
    versionDescription: 'a',
  };
  const variable = { component: 'a', name: 'A', value: 'a' };
  return {
    addPort: { alias: 'WEB', isInner: true },
    addTeamMember: { applications: [{ appId: all.application.appId }] },
    addTrust: { expiresAt: '2100-01-01T00:00:00Z', grants: [{ actions: ['DEPLOY_COMPONENT'] }] },
    addVolume: volume,
    applyManifest: { prune: 'OWNED', deploy: 'NONE', expectedPlan: '0'.repeat(64) },
    changePortAlias: { serviceName: 'other' },
    copyApplication: {
      images: [{ component: all.component.alias, image: 'nginx:1.29' }],
      variables: [{ ...variable, component: all.component.alias, scope: 'CONNECTION' }],
      volumes: 'OMIT',
    },
    createAccessToken: {
      user: { email: person.email },
      expiresAt: '2100-01-01T00:00:00Z',
      grants: [{ actions: ['READ'] }],
    },
    createApplication: application,
    createComponent: {
      ...configured,
      alias: 'web',
      clusterName: 'web',
      probes: { readiness: { grpc: { port: 80, service: 'x' } } },
      variables: [
        { name: 'A', value: '1', label: 'a', scope: 'CONNECTION', isChangeable: true, portNumber: 1 },
      ],
      volumes: [volume],
      dependencies: [component],
    },
    createDeployHook: { name: 'pipeline', tagPattern: 'v1.*' },
    createHttpRule: httpRule,
    createRegion: { ...region, status: 'ENABLED' },
    createSchedule: scheduled,
    createTcpRule: { mappedAddress: '10.0.0.2:7777', extensions },
    createTeam: { alias: 'North', owner: { email: person.email } },
    createUser: { phone: '1' },
    createVolumeSnapshot: named,
    createWebhook: webhook,
    deleteVolume: named,
    deleteVolumeSnapshot: named,
    importNamespace: { name: 'shop' },
    installApplication: {
      store: { url: 'http://127.0.0.1:1', domain: 'x', type: 'STANDARD', accessKey: 'x' },
      templateId: 'a',
      version: '1',
      variables: [{ ...variable, scope: 'ENVIRONMENT' }],
    },
    openTeamRegion: { cpuQuotaMillicores: 1, memoryQuotaMiB: 1 },
    publishApplication: {
      ...published,
      catalogue: 'ENTERPRISE',
      template: changes.disableTemplateVersion.template,
      version: '1.0.0',
    },
    publishTemplate: published,
    removeSnapshotSchedule: named,
    restoreVolumeSnapshot: named,
    runComponent: { command: ['sh', '-c', 'exit 0'], timeoutSeconds: 60 },
    scaleComponent: resources,
    setAutoscaling: { minReplicas: 1, maxReplicas: 2, cpuPercent: 50, memoryPercent: 50 },
    setPlacement: {
      nodeLabels: [{ key: 'disktype', value: 'ssd' }],
      tolerations: [{ key: 'dedicated', operator: 'EQUAL', value: 'web', effect: 'NO_SCHEDULE' }],
      spread: 'NODE',
      minAvailable: 1,
    },
    setProbes: {
      startup: {
        http: { port: 80, path: '/', scheme: 'HTTP', headers: [{ name: 'X', value: 'x' }] },
        initialDelaySeconds: 0,
        periodSeconds: 1,
        timeoutSeconds: 1,
        failureThreshold: 1,
        successThreshold: 1,
      },
      readiness: { tcp: { port: 80 } },
      liveness: { command: ['true'] },
    },
    setSnapshotSchedule: { ...named, timeZone: 'UTC' },
    setTeamQuota: { memoryQuotaMiB: 1 },
    setVariables: {
      set: [
        {
          name: 'A',
          value: '1',
          label: 'a',
          isSecret: true,
          scope: 'CONNECTION',
          isChangeable: true,
          portNumber: 1,
        },
      ],
      remove: [{ name: 'B', scope: 'ENVIRONMENT' }],
    },
    updateApplication: application,
    updateComponent: configured,
    updateDeployHook: { name: 'other' },
    updateHttpRule: httpRule,
    updateRegion: { ...region, status: 'MAINTENANCE', scope: 'PUBLIC' },
    updateRegistryCredential: { username: 'other' },
    updateRole: { name: 'stopper' },
    updateSchedule: scheduled,
    updateServiceAccount: { name: 'another' },
    updateTcpRule: { endpoint: '10.0.0.1:7778', extensions },
    updateUser: { nickName: 'new' },
    updateVolume: { ...named, ...volume },
    updateWebhook: { ...webhook, events: ['port.*'], serviceAccount: changes.createWebhook.serviceAccount },
    upgradeApplication: {
      upgrades: [
        {
          storeName: 'a',
          templateId: 'a',
          version: '1',
          variables: [{ ...variable, scope: 'CONNECTION' }],
        },
      ],
    },
  };
}

/** The input with every switch of its type, and with a revision that is expected if it can have one. */
function filled(name: string, input: object): object {
  const fields = (getNamedType(mutations[name]!.args[0]!.type) as GraphQLInputObjectType).getFields();
  const switches = Object.values(fields).filter(({ type }) => getNamedType(type).name === 'Boolean');
  return {
    ...Object.fromEntries(switches.map((field) => [field.name, false])),
    ...('expectedRevision' in fields && { expectedRevision: 1 }),
    ...input,
  };
}

async function setUp(): Promise<void> {
  trellis = await startTrellis({ bodyLimitBytes: 4_194_304 });
  all = await trellis.createAll();
  const region = { regionId: all.region.regionId };
  await trellis.succeed(
    'updateRegion',
    { region, cluster: { certificateIssuer: 'letsencrypt' } },
    '__typename',
  );
  const component = { componentId: all.component.componentId };
  const volume = { component, name: 'data', path: '/data', type: 'local' };
  await trellis.succeed('addVolume', volume, '__typename');
  const changes: Record<string, object> = {};
  for (const [name, { input }] of Object.entries(await everyChange(trellis, all))) {
    changes[name] = await input();
  }
  const more = optional(changes, await trellis.createMember(all.team.teamId, 'DEVELOPER'));
  good = Object.fromEntries(
    Object.entries(changes).map(([name, input]) => [name, filled(name, { ...input, ...more[name] })]),
  );
}

type Path = (string | number)[];

/** A place in an input, and what the schema says of it. */
interface Place {
  path: Path;
  owner: string;
  type: GraphQLInputType;
  isOneOf: boolean;
  isRequired: boolean;
}

const isList = (type: GraphQLInputType) => isListType(isNonNullType(type) ? type.ofType : type);

/** Every field of an input type, where it stands in the example; of a oneOf also those not in the example. */
function placesOf(type: GraphQLInputObjectType, example: any, at: Path): Place[] {
  return Object.values(type.getFields()).flatMap((field) => {
    const place: Place = {
      path: [...at, field.name],
      owner: `${type.name}.${field.name}`,
      type: field.type,
      isOneOf: Boolean(type.isOneOf),
      isRequired: isRequiredInputField(field),
    };
    const named = getNamedType(field.type);
    if (!isInputObjectType(named)) return [place];
    const list = isList(field.type);
    const value = example?.[field.name];
    return [place, ...placesOf(named, list ? value?.[0] : value, list ? [...place.path, 0] : place.path)];
  });
}

/** A copy of the input with another value at the path; in a oneOf it is the only field then. */
function withValue(input: any, path: Path, value: unknown, alone: boolean): any {
  const copy = structuredClone(input ?? {});
  const parent = path.slice(0, -1).reduce<any>((object, step, index) => {
    object[step] ??= typeof path[index + 1] === 'number' ? [] : {};
    return object[step];
  }, copy);
  if (alone) for (const key of Object.keys(parent)) delete parent[key];
  const last = path.at(-1)!;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const isIn = (example: any, path: Path): boolean =>
  path.reduce((object, step) => object?.[step], example) != null;

/** Texts that may hold line breaks. */
const prose =
  /(AddCertificateInput\.(chain|key)|WebhookInput\.document|RegistryCredentialInput\.password|Variable\w*\.value|\.(\w*[dD]escription|note|entrypoint|command|containerCommand|fileContent|\w+Certificate|clientKey))$/;
/** Texts that may have up to a MiB; others have 64 KiB at most, and to send more to each of them takes long. */
const long = /\.(fileContent|template|logo|chain|key)$/;
/** Texts that name something: an unknown one is not there. */
const naming = /Ref\./;

const badTexts = (owner: string) => [
  'a\u0000b',
  '\u0000',
  'a\u0007b',
  'a\ud800b',
  '\udc00a',
  '\u007f'.repeat(long.test(owner) ? 1_100_000 : 70_000),
  ...(prose.test(owner) ? [] : ['a\nb', 'a\r\nb']),
];

const wrong: Record<string, unknown[]> = {
  String: [1, true, {}, ['a', 'b']],
  ID: [true, {}, 1.5],
  Int: ['1', 1.5, 2 ** 31, -(2 ** 31) - 1, 1e300, true, {}, -1_000_000_000],
  Float: ['1', true, {}, 1e300],
  Boolean: ['true', 0, {}],
  JSON: ['{}', 1, true, [1], { unknown: 1 }],
  DateTime: ['yesterday', '2026-13-01T00:00:00Z', '2026-01-01', '2026-01-01T00:00:00', 0, true, {}, ''],
  enum: ['NOPE', 'http', 1, true, {}],
};

function badValues({ type, owner, isRequired }: Place): unknown[] {
  const named = getNamedType(type);
  const values: unknown[] = [];
  if (isRequired) values.push(undefined, null);
  if (isInputObjectType(named)) return [...values, 'text', 1, { bogus: 1 }];
  if (named.name === 'String' || named.name === 'ID') values.push(...badTexts(owner));
  const others = wrong[named.name] ?? wrong.enum!;
  values.push(...(isList(type) ? others.filter((value) => !Array.isArray(value)) : others));
  // Any whole number orders a list.
  return owner.endsWith('.orderIndex') ? values.filter((value) => value !== -1_000_000_000) : values;
}

/** What they name is in a store, or in a template: their own suites have examples that succeed. */
const ofStores = new Set(['installApplication', 'publishTemplate', 'rollbackUpgrade', 'upgradeApplication']);

const documentOf = (name: string) => {
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return `mutation M($input: ${title}Input!) {
    ${name}(input: $input) {
      __typename
      ... on Error { code message }
      ... on InvalidInputError { issues { path message } }
    }
  }`;
};

/** What was refused, as code and paths; whatever else came back is shown. */
function refusal(result: GraphqlResult, name: string): { codes: string[]; paths: string[] } | GraphqlResult {
  const failed = result.data?.[name];
  if (failed?.code) {
    const paths = (failed.issues ?? []).map((issue: { path: string[] }) => issue.path.join('.'));
    return { codes: [failed.code], paths };
  }
  if (!result.errors?.length || result.data) return result;
  return {
    codes: [...new Set(result.errors.map(({ extensions }) => extensions.code))],
    paths: result.errors.flatMap(({ extensions }) =>
      (extensions.issues ?? []).map((issue: { path: Path }) => issue.path.join('.')),
    ),
  };
}

const isTooLong = (value: unknown) => typeof value === 'string' && value.length >= 70_000;
const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 60);

/**
 * What is wrong of every field. Of each, only some of the values are sent unless `hasEveryValue`: together, the fields of
 * one kind get all of them.
 */
export function badInput({ hasEveryValue }: { hasEveryValue: boolean }): void {
  beforeAll(setUp);
  afterAll(() => trellis?.close());
  const recount = expectUnchanged(() => trellis);

  const valuesOf = (place: Place, index: number) =>
    badValues(place).filter(
      (value, nth) => hasEveryValue || value == null || isTooLong(value) || (nth + index) % 5 === 0,
    );

  describe('every field of every mutation', () => {
    it.each(Object.keys(mutations))('%s refuses what is wrong, and names the field', async (name) => {
      const example = good[name];
      expect(example, `${name} is not in every-change.ts`).toBeDefined();
      const type = getNamedType(mutations[name]!.args[0]!.type) as GraphQLInputObjectType;
      const query = documentOf(name);
      for (const [index, place] of placesOf(type, example, []).entries()) {
        const [path, field] = [['input', ...place.path].join('.'), place.path.at(-1)];
        for (const value of valuesOf(place, index)) {
          const input = withValue(example, place.path, value, place.isOneOf);
          const found = refusal(await trellis.graphql(query, { input }), name);
          const what = `${path} = ${shown(value)}: ${shown(found)}`;
          expect(found, what).toHaveProperty('codes');
          const { codes, paths } = found as { codes: string[]; paths: string[] };
          const isUnknown = naming.test(place.owner) && codes[0] === 'NOT_FOUND';
          if (isUnknown) continue;
          expect(codes, what).toEqual(['INVALID_INPUT']);
          // Nothing else is checked of a text that is too long: patterns would take time for each of its megabytes.
          if (isTooLong(value)) expect(paths.filter((each) => each === path).length, what).toBeLessThan(2);
          // A reference without its only field is wrong as a whole.
          const parent = path.slice(0, -`.${field}`.length);
          const named = paths.some(
            (each) =>
              each === path ||
              each.startsWith(`${path}.`) ||
              (place.isOneOf && each === parent) ||
              // Without an example, what the object requires is missing as well.
              (!isIn(example, place.path.slice(0, -1)) && each.startsWith(`${parent}.`)),
          );
          expect(named ? path : paths, what).toBe(path);
        }
      }
    });

    it.each(Object.keys(mutations))(
      '%s refuses unknown fields, and references that are not one',
      async (name) => {
        const example = good[name];
        const type = getNamedType(mutations[name]!.args[0]!.type) as GraphQLInputObjectType;
        const query = documentOf(name);
        const places = placesOf(type, example, []);
        const objects = places.filter(({ type: each }) => isInputObjectType(getNamedType(each)));
        const tries: [Path, unknown][] = [[['bogus'], 1]];
        for (const { path, type: each } of objects) {
          const named = getNamedType(each) as GraphQLInputObjectType;
          const at = isList(each) ? [...path, 0] : path;
          if (!named.isOneOf) tries.push([[...at, 'bogus'], 1]);
          else {
            const other = Object.keys(named.getFields()).find((field) => field !== 'id')!;
            tries.push([at, {}], [at, { id: null }], [at, { id: 'a', [other]: 'b' }]);
            tries.push([at, { id: 'a', [other]: null }]);
          }
        }
        for (const [path, value] of tries) {
          const input = withValue(example, path, value, false);
          const found = refusal(await trellis.graphql(query, { input }), name);
          const what = `${path.join('.')} = ${shown(value)}: ${shown(found)}`;
          expect(found, what).toMatchObject({ codes: ['INVALID_INPUT'] });
          const { paths } = found as { paths: string[] };
          expect(paths.some((each) => each.startsWith(`input.${path.join('.')}`)) || paths, what).toBe(true);
        }
      },
    );

    it('the examples are valid before they are made invalid', async () => {
      // Nothing is written: each runs as a reader, whom only the last door stops.
      const { secret } = await trellis.succeed(
        'createAccessToken',
        { name: 'reader', isReadOnly: true },
        'secret',
      );
      await recount();
      for (const name of Object.keys(mutations).filter((each) => !ofStores.has(each))) {
        const { data } = await trellis.data(documentOf(name), { input: good[name] }, secret).then(
          (found) => ({ data: found[name] }),
          (error) => ({ data: String(error) }),
        );
        expect(data, name).toMatchObject({ code: 'FORBIDDEN', message: 'This access token is read-only.' });
      }
    });
  });

  describe('numbers of ports and the like', () => {
    it.each([
      ['addPort', 'number', [0, -1, 65_536, 2_147_483_647]],
      ['createComponent', 'replicas', [-1, 10_001]],
      ['createComponent', 'cpuMillicores', [-1]],
      ['createComponent', 'memoryMiB', [-1]],
      ['createRegion', 'cpuCores', [-0.1, 1e7]],
      ['createRegion', 'url', ['ftp://x.example', 'north', 'https://', ' https://x.example', 'javascript:1']],
      ['createRegion', 'httpDomain', ['-a.example', 'A.example', 'a..example', 'a_b.example', 'a.example.']],
      ['createTeam', 'name', ['', 'North', '1north', 'north-', 'a'.repeat(64), 'nörth', 'a b']],
      ['createUser', 'email', ['', 'x', 'x@', '@x.example', 'a b@x.example', `${'a'.repeat(250)}@x.example`]],
      ['createUser', 'nickName', ['', ' ', '\u00a0', 'x'.repeat(65)]],
      ['addPort', 'alias', ['', 'web', '1WEB', 'WEB-1', 'W'.repeat(65)]],
      ['changePortAlias', 'serviceName', ['', 'Web', '-web', 'web-', 'w'.repeat(64)]],
      ['createAccessToken', 'expiresAt', ['2020-01-01T00:00:00Z', '0000-01-01T00:00:00Z']],
    ] as [string, string, unknown[]][])('%s: %s out of its range', async (name, field, values) => {
      for (const value of values) {
        const input = { ...good[name], [field]: value };
        const found = refusal(await trellis.graphql(documentOf(name), { input }), name);
        expect(found, shown(value)).toHaveProperty('codes', ['INVALID_INPUT']);
        const { paths } = found as { paths: string[] };
        expect([...new Set(paths)], shown(value)).toEqual([`input.${field}`]);
      }
    });

    it('all errors of an input are reported at once', async () => {
      const input = { ...good.createRegion, name: 'NO', url: 'no', httpDomain: '-', cpuCores: -1 };
      const found = refusal(await trellis.graphql(documentOf('createRegion'), { input }), 'createRegion');
      expect(found).toEqual({
        codes: ['INVALID_INPUT'],
        paths: ['input.name', 'input.url', 'input.httpDomain', 'input.cpuCores'],
      });
      const typed = { ...good.createRegion, name: 1, memoryMiB: '1', status: 'NOPE', bogus: 1 };
      const other = refusal(
        await trellis.graphql(documentOf('createRegion'), { input: typed }),
        'createRegion',
      ) as { paths: string[] };
      expect(other.paths.sort()).toEqual(['input.bogus', 'input.memoryMiB', 'input.name', 'input.status']);
    });
  });

  describe('missing objects', () => {
    const unknownIds: [name: string, reference: string, ...values: object[]][] = [
      [
        'createApplication',
        'team',
        { teamId: 'nope' },
        { name: 'nope' },
        { id: 'nope' },
        { id: 'VGVhbTpub3Bl' },
      ],
      ['createApplication', 'region', { regionId: 'nope' }, { name: 'nope' }, { id: 'UmVnaW9uOm5vcGU' }],
      ['createComponent', 'application', { appId: 2_147_483_647 }, { id: 'QXBwbGljYXRpb246eA' }],
      ['addPort', 'component', { componentId: 'nope' }, { id: 'Q29tcG9uZW50Og' }],
      [
        'addTeamMember',
        'user',
        { userId: 2_147_483_647 },
        { email: 'nobody@trellis.example' },
        { id: 'VXNlcjotMQ' },
      ],
      ['deletePort', 'port', { id: 'UG9ydDo5OTk5OTk5OTk5OTk' }, { id: 'UG9ydDoxLjU' }, { id: 'UG9ydDphAGI' }],
      ['endSession', 'session', { sessionId: 'nope' }, { id: 'U2Vzc2lvbjp4' }],
      ['revokeAccessToken', 'token', { tokenId: 'nope' }, { id: 'QWNjZXNzVG9rZW46eA' }],
    ];
    it.each(unknownIds)('%s: an unknown %s is NOT_FOUND', async (name, reference, ...values) => {
      for (const value of values) {
        const input = { ...good[name], [reference]: value };
        const found = refusal(await trellis.graphql(documentOf(name), { input }), name);
        expect(found, shown(value)).toEqual({ codes: ['NOT_FOUND'], paths: [] });
      }
    });

    it('returns NOT_FOUND for the global id of another type', async () => {
      const input = { ...good.addPort, component: { id: all.application.id } };
      expect(refusal(await trellis.graphql(documentOf('addPort'), { input }), 'addPort')).toEqual({
        codes: ['NOT_FOUND'],
        paths: [],
      });
    });
  });
}
