import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unique } from '../../../support/fixtures.ts';
import {
  type ClusterPlace,
  createClusterPlace,
  deploy,
  jobsOf,
  patience,
} from '../../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../../support/kubernetes/world.ts';
import { type LogStore, startLogStore } from '../../../support/log-store.ts';

const { trellis, server } = useClusterWorld({ jobs: {} });
let store: LogStore;
let place: ClusterPlace;
let own: { appId: number };
/** Of a member who is limited to `own`. */
let token: string;

beforeAll(async () => {
  store = await startLogStore();
  place = await createClusterPlace(trellis, server, {
    token: 'platform',
    cluster: { gatewayClass: 'test', logsUrl: store.url },
  });
  const at = { team: { teamId: place.teamId }, region: place.region } as any;
  own = await trellis.createApplication(at, unique('own'), { isolation: 'TEAM' });
  const person = await trellis.createPerson();
  const limited = { role: 'DEVELOPER', applications: [{ appId: own.appId }] };
  await trellis.succeed(
    'addTeamMember',
    { team: at.team, user: { email: person.email }, ...limited },
    '__typename',
  );
  token = person.token;
  return () => store.close();
});
beforeEach(() => {
  server.cluster.fault = undefined;
  store.queries = [];
});

/** Whether the cluster refuses to delete workloads, for good. */
const refuseDeletions = () => {
  const body = { kind: 'Status', status: 'Failure', code: 422, reason: 'Invalid', message: 'no' };
  server.cluster.fault = ({ method, path }) =>
    method === 'DELETE' && path.includes('/deployments/') ? { status: 422, body } : undefined;
};

/** A deployed component of others. */
async function createHidden(): Promise<{ clusterName: string; componentId: string }> {
  const clusterName = unique('web');
  const [deployed] = await deploy(trellis, place, [{ clusterName }]);
  return { clusterName, componentId: deployed!.componentId };
}

const remove = ({ componentId }: { componentId: string }) =>
  trellis.succeed('deleteComponent', { component: { componentId }, force: true }, '__typename');

/** A component of the limited member with a name that became free. It need not be deployed. */
async function take(clusterName: string): Promise<string> {
  const input = { application: { appId: own.appId }, name: unique('took'), clusterName, image: 'nginx:1.29' };
  return (await trellis.succeed('createComponent', input, 'component { uid }', token)).component.uid;
}

const record = (clusterName: string, text: string, atMs = Date.now()) =>
  store.lines.push({
    labels: {
      namespace: place.namespace,
      pod: `${clusterName}-5d9c7b6f4d-x2zk8`,
      container: 'main',
    },
    at: BigInt(atMs) * 1_000_000n,
    text,
  });

async function read(componentId: string): Promise<{ gap: string | null; texts: string[]; usage: string }> {
  const query = `query($by: ComponentRef!) { component(by: $by) {
    logs(source: LOG_STORE) { gap lines { text } } usageHistory { gap } trafficHistory { gap }
  } }`;
  const { component } = await trellis.data(query, { by: { componentId } }, token);
  const { logs, usageHistory, trafficHistory } = component;
  expect(trafficHistory.gap).toBe(usageHistory.gap);
  return { gap: logs.gap, texts: logs.lines.map(({ text }: any) => text), usage: usageHistory.gap };
}

const nothing = { gap: 'SHARED_NAME', texts: [], usage: 'SHARED_NAME' };
const lastRemoval = async () => (await jobsOf(trellis, place, 'DELETE'))[0]!.status;

describe('a component with the name in the cluster of one that was removed', () => {
  it('does not show what that one writes until the cluster has nothing of it any more', async () => {
    const hidden = await createHidden();
    server.setDown(true);
    await remove(hidden);
    const took = await take(hidden.clusterName);
    record(hidden.clusterName, 'of the hidden one');
    expect(await read(took)).toEqual(nothing);
    expect(store.queries).toEqual([]);
    server.setDown(false);
    await expect.poll(lastRemoval, patience).toBe('SUCCEEDED');
    record(hidden.clusterName, 'own', Date.now() + 1);
    await expect
      .poll(() => read(took), patience)
      .toEqual({ gap: null, texts: ['own'], usage: 'NO_METRICS_URL' });
  });

  it('does not show it after a removal that failed either', async () => {
    const hidden = await createHidden();
    refuseDeletions();
    await remove(hidden);
    await expect.poll(lastRemoval, patience).toBe('FAILED');
    const took = await take(hidden.clusterName);
    record(hidden.clusterName, 'of the hidden one');
    expect(await read(took)).toEqual(nothing);
    expect(store.queries).toEqual([]);
  });

  it('has all of its lines if that one was gone before', async () => {
    const hidden = await createHidden();
    await remove(hidden);
    await expect.poll(lastRemoval, patience).toBe('SUCCEEDED');
    record(hidden.clusterName, 'before', Date.now() - 1);
    const took = await take(hidden.clusterName);
    record(hidden.clusterName, 'own', Date.now() + 1);
    await expect.poll(async () => (await read(took)).texts, patience).toEqual(['own']);
  });
});
