import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { blockedBy } from './blocked.ts';
import { createLargestWorld } from './largest-world.ts';
import { endProcesses, startProcess, type TrellisProcess } from './process.ts';
import { send } from './send.ts';
import type { World } from './surfaces-world.ts';
import { type Arguments, documentsOf, type Walked, type Way, waysOf } from './walk.ts';

const aliases = 400;
const heapMiB = 512;
/**
 * The longest time that a health check may wait, in CPU time of the gateway's event loop. It is far above what a request
 * takes at once, so that only work that is not divided reaches it.
 */
const mostMs = 2_000;

let world: World;
/** The gateway in a process of its own, whose event loop is watched; without it, the one of this process is asked. */
let watched: TrellisProcess | undefined;
let target: { url: string; adminToken: string };
let values: Arguments;
const agent = new Agent({ keepAlive: true });

function prepare(isWatched: boolean): void {
  beforeAll(async () => {
    const secretKey = randomBytes(32);
    world = await createLargestWorld(secretKey);
    if (isWatched)
      watched = startProcess({
        DATABASE_URL: world.trellis.databaseUrl,
        SECRET_KEY: secretKey.toString('hex'),
        NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
        RATE_LIMIT_PER_SECOND: '0',
        STORE_ALLOW_PRIVATE: 'true',
      });
    target = {
      url: watched ? await watched.listening : world.trellis.url,
      adminToken: world.trellis.adminToken,
    };
    values = await argumentsOf(world);
  }, 240_000);
  afterAll(async () => {
    agent.destroy();
    await endProcesses();
    await world?.trellis.close();
  });
}

/** Names of the largest objects, for the arguments that must be given. */
export async function argumentsOf({
  trellis,
  team,
  regions,
  appId,
  componentId,
  viewer,
}: World): Promise<Arguments> {
  const first = async (query: string) => Object.values(await trellis.data(query))[0] as any;
  const { jobs, certificates, registryCredentials, webhooks } = await first(
    `{team(by:{teamId:"${team.teamId}"}){jobs(first:1){nodes{id}} certificates(first:1){nodes{id}} registryCredentials(first:1){nodes{id}} webhooks(first:1){nodes{id}}}}`,
  );
  await trellis.succeed('deployComponent', { component: { componentId } }, '__typename');
  const { ports, releases, runs, schedules } = await first(
    `{component(by:{componentId:"${componentId}"}){ports(first:1){nodes{id}} releases(first:1){nodes{number}} runs(first:1){nodes{id}} schedules(first:1){nodes{id}}}}`,
  );
  const [last] = releases.nodes;
  const templates = await first('{templates(first:1){nodes{id}}}');
  const { name, components } = await first(
    `{application(by:{appId:${appId}}){name components(first:1){nodes{name}}}}`,
  );
  const document = `application: ${name}`;
  const place = { team: { teamId: team.teamId }, region: { regionId: regions.main.regionId } };
  await trellis.succeed('applyManifest', { ...place, document }, '__typename');
  const by = (id: string | undefined) => `{id:"${id}"}`;
  const { application } = await trellis.data(
    'query ($by: ApplicationRef!) { application(by: $by) { previews(first: 1) { nodes { id } } } }',
    { by: { appId } },
  );
  return {
    ApplicationRef: `{appId:${appId}}`,
    CertificateRef: by(certificates.nodes[0].id),
    ComponentRef: `{componentId:"${componentId}"}`,
    JobRef: by(jobs.nodes[0].id),
    PortRef: by(ports.nodes[0].id),
    PreviewRef: by(application.previews.nodes[0].id),
    ReleaseRef: `{at:{component:{componentId:"${componentId}"} number:${last.number}}}`,
    RunRef: by(runs.nodes[0].id),
    ScheduleRef: by(schedules.nodes[0].id),
    RegistryCredentialRef: by(registryCredentials.nodes[0]?.id),
    WebhookRef: by(webhooks.nodes[0].id),
    RegionRef: `{regionId:"${regions.main.regionId}"}`,
    TeamRef: `{teamId:"${team.teamId}"}`,
    TeamRegionRef: `{team:{teamId:"${team.teamId}"} region:{regionId:"${regions.main.regionId}"}}`,
    TemplateRef: by(templates.nodes[0].id),
    UserRef: `{userId:${viewer.userId}}`,
    ID: `"${encodeGlobalId('Component', componentId)}"`,
    String: '"x"',
    'checkRegion(region)': `{regionId:"${regions.main.regionId}"}`,
    'planManifest(document)': `"application: ${name}\\nnote: other\\ncomponents: { ${components.nodes[0].name}: {} }"`,
  };
}

/** Types of which a viewer sees no object, such as credentials and what clusters know, small kinds of probes, and what a plan of this application adopts. */
const unseen = [
  'ClusterEvent',
  'ComponentInstance',
  'ComponentInstanceUsage',
  'ComponentLogLine',
  'ComponentLogs',
  'ComponentProblem',
  'DeprecatedUse',
  'GrpcProbe',
  'ImageCheck',
  'ImagePlatform',
  'ImagePort',
  'IssuedCertificate',
  'ManifestImage',
  'RegionCheck',
  'RegionCluster',
  'RegionCredentials',
  'RegionGatewayQueries',
  'RegionOrphan',
  'RegionRight',
  'TcpProbe',
  'UsagePoint',
  'UserConnection',
  'UserEdge',
  'VolumeSnapshot',
];
/** Fields that a viewer may not read, or that are null with a token like that of the viewer: others lead to their types. */
export const refused = [
  'Query.administrators',
  'Query.events',
  'Viewer.serviceAccount',
  'Viewer.session',
  'AccessToken.grants',
  'AccessToken.serviceAccount',
  'AccessToken.trust',
  'Release.deployHook',
];

const holdsObject = (data: any, [key, ...rest]: string[]): boolean => {
  if (Array.isArray(data))
    return data.some((each) => holdsObject(each, key === undefined ? [] : [key, ...rest]));
  if (data == null) return false;
  return key === undefined || holdsObject(data[key], rest);
};

/** Whether the way to a type leads to an object of it. */
async function isReached({ before, after, keys }: Way, token: string): Promise<boolean> {
  const body = JSON.stringify({ query: `{${before}__typename${after}}` });
  const { body: answer } = await send(target, { body, token, agent });
  return holdsObject(answer.data, keys);
}

async function walk({ title, query }: Walked, token: string): Promise<string | undefined> {
  const request = send(target, { body: JSON.stringify({ query }), token, agent });
  const { answer, blockedMs } = watched
    ? await blockedBy(watched, target, request)
    : { answer: await request, blockedMs: 0 };
  const codes = new Set<string>((answer.body?.errors ?? []).map((error: any) => error.extensions.code));
  if (codes.has('INTERNAL')) return `${title}: INTERNAL`;
  if (codes.has('INVALID_INPUT')) return `${title}: ${JSON.stringify(answer.body.errors[0])}`;
  return blockedMs > mostMs ? `${title}: blocked for ${Math.round(blockedMs)} ms` : undefined;
}

/** Asks for the fields of these types under many aliases. Returns what went wrong, and the types that were not reached. */
async function walkTypes(isAsked: (type: string) => boolean) {
  const failures: string[] = [];
  const missing: string[] = [];
  for (const way of waysOf(schema, values, refused).values()) {
    if (!isAsked(way.type.name)) continue;
    if (!(await isReached(way, world.viewer.token))) missing.push(way.type.name);
    for (const document of documentsOf(way, values, aliases)) {
      const failure = await walk(document, world.viewer.token);
      if (failure) failures.push(failure);
    }
  }
  return { failures, missing: missing.sort() };
}

export function testAliasesOfEveryType(): void {
  prepare(true);

  describe('a document with 400 aliases of a field', () => {
    it('neither ends the process nor blocks it, for every field of every type', {
      timeout: 1_800_000,
    }, async () => {
      const { failures, missing } = await walkTypes(() => true);
      expect(failures).toEqual([]);
      expect(missing).toEqual(unseen);
      expect(watched!.child.exitCode).toBeNull();
    });
  });
}

export function testAliasesOf(types: readonly string[]): void {
  prepare(false);

  describe('a document with 400 aliases of a field', () => {
    it(`is answered or refused, for every field of ${types.join(', ')}`, async () => {
      expect(await walkTypes((type) => types.includes(type))).toEqual({ failures: [], missing: [] });
    });
  });
}
