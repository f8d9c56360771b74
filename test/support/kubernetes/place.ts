import { expect } from 'vitest';
import { ordered } from '../../../src/drivers/region/kubernetes/objects/objects.ts';
import { shortHash } from '../../../src/drivers/region/object-names.ts';
import { unique } from '../fixtures.ts';
import type { Trellis } from '../trellis.ts';
import { kindNamed } from './api/kinds.ts';
import type { FakeServer } from './server.ts';

/** How long a busy machine may take, and how often to ask: more often, the questions cost more than what is waited for. */
export const patience = { timeout: 60_000, interval: 150 };

/** A team's application in a region that is a cluster. */
export interface ClusterPlace {
  appId: number;
  teamId: string;
  namespace: string;
  region: { regionId: string; name: string };
  server: FakeServer;
}

export async function createClusterPlace(
  trellis: Trellis,
  server: FakeServer,
  {
    token = 'admin',
    cluster = { gatewayClass: 'test' } as object,
    teamId: known = undefined as string | undefined,
  } = {},
): Promise<ClusterPlace> {
  // Places of several tests share a cluster.
  const namespacePrefix = `${unique('p')}-`;
  const region = await trellis.createRegion({
    driver: 'KUBERNETES',
    url: server.url,
    credentials: { token, caCertificate: server.caCertificate },
    cluster: { namespacePrefix, ...cluster },
  });
  const teamId = known ?? (await trellis.createTeam()).teamId;
  const refs = { team: { teamId }, region: { regionId: region.regionId } };
  await trellis.succeed('openTeamRegion', refs, '__typename');
  const application = { team: { teamId }, region } as any;
  const { appId } = await trellis.createApplication(application, unique('app'), { isolation: 'TEAM' });
  return { appId, teamId, namespace: `${namespacePrefix}${teamId}`, region, server };
}

export interface Deployed {
  componentId: string;
  alias: string;
}

/** Components that are deployed by one job, once their status is this. */
export async function deploy(
  trellis: Trellis,
  { appId }: ClusterPlace,
  inputs: object[] = [{}],
  status: string | null = 'RUNNING',
): Promise<Deployed[]> {
  const deployed: Deployed[] = [];
  for (const input of inputs) {
    const alias = unique('web');
    const { component } = await trellis.succeed(
      'createComponent',
      { application: { appId }, name: alias, alias, image: 'nginx:1.29', replicas: 1, ...input },
      'component { uid }',
    );
    deployed.push({ componentId: component.uid, alias });
  }
  const [first] = deployed as [Deployed];
  const component = { componentId: first.componentId };
  if (deployed.length > 1)
    await trellis.succeed('deployApplication', { application: { appId } }, '__typename');
  else await trellis.succeed('deployComponent', { component }, '__typename');
  if (status !== null) {
    await expect.poll(() => statusesOf(trellis, deployed), patience).toEqual(deployed.map(() => status));
  }
  return deployed;
}

export async function statusesOf(trellis: Trellis, deployed: readonly Deployed[]): Promise<string[]> {
  const fields = deployed.map(
    ({ componentId }, index) =>
      `c${index}: component(by: { componentId: "${componentId}" }) { status: state }`,
  );
  const data = await trellis.data(`{ ${fields.join(' ')} }`);
  return deployed.map((_, index) => data[`c${index}`].status);
}

export interface JobSeen {
  kind: string;
  status: string;
  error: string | null;
  user: object | null;
}

/** The jobs of a place, newest first. */
export async function jobsOf(trellis: Trellis, { appId }: ClusterPlace, kind?: string): Promise<JobSeen[]> {
  const filter = kind ? `, kind: ${kind}` : '';
  const { application } = await trellis.data(
    `{ application(by: { appId: ${appId} }) { jobs(first: 50${filter}) { nodes { kind status error user { id } } } } }`,
  );
  return application.jobs.nodes;
}

/** Resolves when no job of a place is in progress. */
export const settledJobs = (trellis: Trellis, place: ClusterPlace) =>
  expect
    .poll(async () => (await jobsOf(trellis, place)).map(({ status }) => status), patience)
    .not.toContainEqual(expect.stringMatching(/PENDING|RUNNING/));

/** The name of the ConfigMap or Secret with these values. */
export const configName = (
  clusterName: string,
  kind: 'env' | 'files',
  data: Record<string, string>,
): string => `${clusterName}-${kind}-${shortHash(ordered(data))}`;

/** What the cluster has of a name; undefined if there is nothing. */
export const objectIn = ({ server, namespace }: ClusterPlace, kind: string, name: string): any =>
  server.cluster.store.get(kindNamed(kind), namespace, name)?.object;

/** A request of somebody else, with all rights. */
export function somebody(
  { server }: ClusterPlace,
  method: string,
  path: string,
  body: object = {},
  contentType = 'application/merge-patch+json',
): void {
  const answer = server.cluster.handle({ method, path, body, contentType }, 'admin') as { status: number };
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
}
