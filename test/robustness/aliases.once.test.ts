import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { encodeGlobalId } from '../../src/kernel/global-id.ts';
import { blockedBy } from '../support/blocked.ts';
import { succeed } from '../support/fixtures.ts';
import { createLargestWorld } from '../support/largest-world.ts';
import { endProcesses, startProcess, type TrellisProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import type { World } from '../support/surfaces-world.ts';
import { type Arguments, documentsOf, type Walked, type Way, waysOf } from '../support/walk.ts';

const aliases = 400;
const heapMiB = 512;
/** The longest time that a health check may wait. */
const mostMs = 250;
const requestTimeoutMs = 30_000;
/** How often a request is repeated that seemed to block: on a busy machine, others take the time as well. */
const attempts = 4;

let world: World;
let trellis: TrellisProcess;
let target: { url: string; adminToken: string };
let values: Arguments;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  const secretKey = randomBytes(32);
  world = await createLargestWorld(secretKey);
  trellis = startProcess({
    DATABASE_URL: world.trellis.databaseUrl,
    SECRET_KEY: secretKey.toString('hex'),
    NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
    REQUEST_TIMEOUT_MS: String(requestTimeoutMs),
    RATE_LIMIT_PER_SECOND: '0',
    STORE_ALLOW_PRIVATE: 'true',
  });
  target = { url: await trellis.listening, adminToken: world.trellis.adminToken };
  values = await argumentsOf(world);
}, 240_000);
afterAll(async () => {
  agent.destroy();
  await endProcesses();
  await world?.trellis.close();
});

/** Names of the largest objects, for the arguments that must be given. */
async function argumentsOf({
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
  await succeed(trellis, 'deployComponent', { component: { componentId } }, '__typename');
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
  await succeed(trellis, 'applyManifest', { ...place, document }, '__typename');
  const by = (id: string | undefined) => `{id:"${id}"}`;
  return {
    ApplicationRef: `{appId:${appId}}`,
    CertificateRef: by(certificates.nodes[0].id),
    ComponentRef: `{componentId:"${componentId}"}`,
    JobRef: by(jobs.nodes[0].id),
    PortRef: by(ports.nodes[0].id),
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
  'GrpcProbe',
  'ImageCheck',
  'ImagePlatform',
  'ImagePort',
  'IssuedCertificate',
  'ManifestObject',
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
const refused = [
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
  const body = JSON.stringify({ query });
  let blocked = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && blocked > mostMs; attempt++) {
    const started = performance.now();
    const { answer, blockedMs } = await blockedBy(trellis, target, send(target, { body, token, agent }));
    const took = performance.now() - started;
    blocked = Math.min(blocked, blockedMs);
    const codes = new Set<string>((answer.body?.errors ?? []).map((error: any) => error.extensions.code));
    if (codes.has('INTERNAL')) return `${title}: INTERNAL`;
    if (codes.has('INVALID_INPUT')) return `${title}: ${JSON.stringify(answer.body.errors[0])}`;
    if (took > requestTimeoutMs + 5_000 && !codes.has('LIMIT_EXCEEDED')) return `${title}: took ${took} ms`;
  }
  return blocked > mostMs ? `${title}: blocked for ${Math.round(blocked)} ms` : undefined;
}

describe('a document with 400 aliases of a field', () => {
  it('neither ends the process nor blocks it, for every field of every type', {
    timeout: 600_000,
  }, async () => {
    const failures: string[] = [];
    const missing: string[] = [];
    for (const way of waysOf(schema, values, refused).values()) {
      if (!(await isReached(way, world.viewer.token))) missing.push(way.type.name);
      for (const document of documentsOf(way, values, aliases)) {
        const failure = await walk(document, world.viewer.token);
        if (failure) failures.push(failure);
      }
    }
    expect(failures).toEqual([]);
    expect(missing.sort()).toEqual(unseen);
    expect(trellis.child.exitCode).toBeNull();
  });
});
