import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindNamed } from '../../support/kubernetes/api/kinds.ts';
import { type Deployed, deploy, patience } from '../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../support/kubernetes/world.ts';
import { type LogStore, startLogStore } from '../../support/log-store.ts';
import { subscribe, until } from '../../support/subscribe.ts';

const { trellis, server, place } = useClusterWorld(
  { jobs: {}, runs: {} },
  // Its time passes when the tests say so.
  { stepMs: undefined, place: { token: 'platform' } },
);
let store: LogStore;
let componentId: string;
beforeAll(async () => {
  store = await startLogStore();
  const [deployed] = (await deploy(trellis, place, [{ image: 'nginx:stubborn' }], null)) as [Deployed];
  componentId = deployed.componentId;
});
afterAll(() => store?.close());

const jobOf = (runId: string) =>
  server.cluster.store
    .list(kindNamed('Job'), place.namespace)
    .find(({ metadata }) => metadata.labels['trellis.dev/run'] === runId);
/** Starts a run, and lets the time pass in which its command starts. */
const start = async (command: string[]): Promise<string> => {
  const input = { component: { componentId }, command, timeoutSeconds: 600 };
  const { run } = await trellis.succeed('runComponent', input, 'run { uid }');
  await expect.poll(() => jobOf(run.uid), patience).toBeDefined();
  server.cluster.pass(5);
  return run.uid;
};
const fields = 'source gap mayHaveMore isTruncated lines { instance container at text }';
const logs = async (runId: string, given: object = {}, token?: string): Promise<any> => {
  const query = `query($by: RunRef!, $tail: Int, $search: String, $since: DateTime, $until: DateTime, $source: LogSource) {
    run(by: $by) { logs(tail: $tail, search: $search, since: $since, until: $until, source: $source) { ${fields} } } }`;
  const { data, errors } = await trellis.graphql(query, { by: { runId }, ...given }, token);
  return errors ? errors[0]!.extensions.code : data.run.logs;
};
const texts = async (runId: string, given: object = {}): Promise<string[]> =>
  (await logs(runId, given)).lines.map(({ text }: { text: string }) => text);
const status = async (runId: string) =>
  (await trellis.data('query($by: RunRef!) { run(by: $by) { status } }', { by: { runId } })).run.status;
const becomes = (runId: string, wanted: string) => expect.poll(() => status(runId), patience).toBe(wanted);
const podOf = (runId: string) =>
  server.cluster.store
    .list(kindNamed('Pod'), place.namespace)
    .find(({ metadata }) => metadata.labels['trellis.dev/run'] === runId);
const write = (runId: string, text: string) => server.cluster.logs.write(podOf(runId).metadata, text);
const isEnding = (runId: string) =>
  expect
    .poll(() => {
      server.cluster.settle();
      return podOf(runId)?.metadata.deletionTimestamp;
    }, patience)
    .toBeTruthy();
/** The longest that a container may go on after it was told to end, in seconds. */
const graceSeconds = 30;

describe('the log of a run in a cluster', () => {
  it('is saved before its pod is removed, with what it writes while it is ended', async () => {
    const cancelled = await start(['sh', '-c', 'echo begin; sleep 100000']);
    await becomes(cancelled, 'RUNNING');
    for (let line = 1; line <= 900; line++) write(cancelled, `${line} ${'x'.repeat(100)}`);
    expect(await logs(cancelled, { tail: 2 })).toMatchObject({ source: 'INSTANCES', mayHaveMore: true });
    expect(await texts(cancelled, { search: 'BEG' })).toEqual(['begin']);
    const instance = podOf(cancelled).metadata.name;
    await trellis.succeed('cancelRun', { run: { runId: cancelled } }, '__typename');
    await isEnding(cancelled);
    write(cancelled, 'rolled back');
    await expect
      .poll(() => texts(cancelled, { source: 'SAVED', tail: 1 }), patience)
      .toEqual(['rolled back']);
    expect(await status(cancelled)).toBe('CANCELLING');
    server.cluster.pass(graceSeconds);
    await becomes(cancelled, 'CANCELLED');
    expect(podOf(cancelled)).toBeUndefined();
    const saved = await logs(cancelled, { tail: 1000 });
    expect(saved).toMatchObject({ source: 'SAVED', gap: null, isTruncated: true, mayHaveMore: true });
    expect(saved.lines.at(-1)).toEqual({
      instance,
      container: 'main',
      at: expect.any(String),
      text: 'rolled back',
    });
    const bytes = saved.lines.reduce((sum: number, { text }: { text: string }) => sum + text.length, 0);
    expect(bytes).toBeGreaterThan(40_000);
    expect(bytes).toBeLessThan(65_536);
    expect(await texts(cancelled, { search: 'ROLLED', tail: 5 })).toEqual(['rolled back']);
    expect(await texts(cancelled, { since: saved.lines.at(-2).at, until: saved.lines.at(-2).at })).toContain(
      saved.lines.at(-2).text,
    );
    expect(await texts(cancelled, { source: 'INSTANCES' })).toEqual([]);

    const late = await start(['sh', '-c', 'echo too slow; sleep 100000']);
    await becomes(late, 'RUNNING');
    const placedAt = new Date(Date.now() - 600_000);
    await trellis.services.db.transaction((tx) =>
      tx.componentRun.updateMany({ where: { id: late }, data: { placedAt } }),
    );
    await isEnding(late);
    server.cluster.pass(graceSeconds);
    await becomes(late, 'TIMED_OUT');
    expect(await logs(late)).toMatchObject({ source: 'SAVED', isTruncated: false, mayHaveMore: false });
    expect(await texts(late)).toEqual(['too slow']);
    expect(await texts(late, { source: 'SAVED', search: 'fast' })).toEqual([]);
    const following = await subscribe(
      trellis,
      'subscription($of: ComponentRef!, $run: RunRef) { componentLogs(component: $of, run: $run) { lines { text } } }',
      { variables: { of: { componentId }, run: { runId: late } } },
    );
    const items = await until(following, ({ event }) => event === 'complete');
    expect(items.flatMap(({ data }) => data?.data?.componentLogs.lines ?? [])).toEqual([
      { text: 'too slow' },
    ]);
    // Only those who may read logs see it, and nobody who has just the database.
    const viewer = await trellis.createMember(place.teamId, 'VIEWER');
    expect(await logs(late, {}, viewer.token)).toBe('FORBIDDEN');
    const rows = await trellis.services.db.query('SELECT sealed_lines FROM run_log', []);
    expect(rows).toHaveLength(2);
    for (const [sealed] of rows) expect(sealed).toMatch(/^v2\.[\w-]{8}\.[\w-]+$/);
    const ofComponent = await trellis.graphql(
      'query($by: ComponentRef!) { component(by: $by) { logs(source: SAVED) { gap } } }',
      { by: { componentId } },
    );
    expect(ofComponent.errors![0]!.extensions.code).toBe('INVALID_INPUT');
  });

  it('is that of the log store if the cluster no longer has it, or if it is searched', async () => {
    const gone = await start(['sh', '-c', 'echo seen by the node']);
    await becomes(gone, 'SUCCEEDED');
    expect(await texts(gone)).toEqual(['seen by the node']);
    const pod = podOf(gone).metadata.name;
    const cluster = { logsUrl: store.url };
    await trellis.succeed('updateRegion', { region: { name: place.region.name }, cluster }, '__typename');
    const record = (text: string, of = pod) =>
      store.lines.push({
        labels: { namespace: place.namespace, pod: of, container: 'main' },
        at: BigInt(Date.now()) * 1_000_000n + BigInt(store.lines.length),
        text,
      });
    record('seen by the store');
    record('item [1] of 2');
    record('another run', pod.replace(/-run-.{4}/, '-run-0000'));
    record('an instance', pod.replace(/-run-.*/, '-7c9d8f6b5d-x2zk8'));
    // Without a filter, the node has the last lines.
    expect(await texts(gone)).toEqual(['seen by the node']);
    // The driver notices the new address.
    const source = async () => (await logs(gone, { search: 'a' })).source;
    await expect.poll(source, patience).toBe('LOG_STORE');
    expect(await logs(gone, { search: 'ITEM [1]' })).toMatchObject({
      source: 'LOG_STORE',
      gap: null,
      lines: [{ instance: pod, text: 'item [1] of 2' }],
    });
    const path = `/apis/batch/v1/namespaces/${place.namespace}/jobs/${jobOf(gone).metadata.name}?propagationPolicy=Background`;
    server.cluster.handle({ method: 'DELETE', path }, 'admin');
    server.cluster.pass(graceSeconds);
    expect(podOf(gone)).toBeUndefined();
    expect(await texts(gone)).toEqual(['seen by the store', 'item [1] of 2']);
    expect(await texts(gone, { source: 'INSTANCES' })).toEqual([]);
    expect(await texts(gone, { source: 'SAVED' })).toEqual([]);
    store.respond = (response) => void response.writeHead(500).end();
    expect(await logs(gone)).toBe('REGION_UNAVAILABLE');
    store.respond = undefined;
  });
});
