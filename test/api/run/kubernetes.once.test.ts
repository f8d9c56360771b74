import { describe, expect, it } from 'vitest';
import { platform } from '../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../support/kubernetes/api/kinds.ts';
import { createClusterPlace, type Deployed, deploy, patience } from '../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../support/kubernetes/world.ts';
import { makeDue, rarely } from '../../support/schedules.ts';
import { subscribe, until } from '../../support/subscribe.ts';

const { trellis, server, place } = useClusterWorld({ jobs: {}, runs: {} }, { place: { token: 'platform' } });

const fields = 'uid status exitCode reason startedAt endedAt';
const start = async (componentId: string, command: string[], more: object = {}) =>
  (
    await trellis.succeed(
      'runComponent',
      { component: { componentId }, command, ...more },
      `run { ${fields} }`,
    )
  ).run;
const read = async (uid: string, selection = fields) =>
  (await trellis.data(`query($by: RunRef!) { run(by: $by) { ${selection} } }`, { by: { runId: uid } })).run;
const over = async (uid: string) => {
  await expect.poll(async () => (await read(uid)).endedAt, patience).not.toBeNull();
  return read(uid);
};
const running = (uid: string) => expect.poll(async () => (await read(uid)).status, patience).toBe('RUNNING');
const all = (kind: string) => server.cluster.store.list(kindNamed(kind), place.namespace);
const jobs = (componentId: string) =>
  all('Job').filter(({ metadata }) => metadata.labels['trellis.dev/run-of'] === componentId);
const podsOfRuns = (componentId: string) =>
  all('Pod').filter(({ metadata }) => metadata.labels['trellis.dev/run-of'] === componentId);

describe('a run in a cluster', () => {
  it('is a Job with the configuration that is deployed, beside the instances', async () => {
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const set = [
      { name: 'MODE', value: 'live' },
      { name: 'DB_PASSWORD', value: 'hunter2' },
    ];
    await trellis.succeed('setVariables', { component: { componentId }, set }, '__typename');
    await trellis.succeed('deployComponent', { component: { componentId } }, '__typename');
    const { uid } = await start(componentId, ['sh', '-c', 'echo one; echo two; exit 5'], {
      timeoutSeconds: 90,
    });
    expect(await over(uid)).toMatchObject({ status: 'FAILED', exitCode: 5 });
    const [job] = jobs(componentId);
    expect(job.spec).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 150 });
    const { spec, metadata } = job.spec.template;
    const [main] = spec.containers;
    expect(spec.restartPolicy).toBe('Never');
    expect(main.command).toEqual(['sh', '-c', 'echo one; echo two; exit 5']);
    expect(main.image).toBe('nginx:1.29');
    expect(main.ports ?? main.readinessProbe ?? main.args).toBeUndefined();
    const named = main.envFrom.map((each: any) => each.configMapRef?.name ?? each.secretRef?.name);
    const kept = [...all('ConfigMap'), ...all('Secret')].filter((each) => named.includes(each.metadata.name));
    expect(kept.flatMap(({ data }) => Object.keys(data)).sort()).toEqual(['DB_PASSWORD', 'MODE']);
    // A Service would send it requests, and a workload would take it for an instance.
    expect(metadata.labels['trellis.dev/component']).toBeUndefined();
    const instances = async () => {
      const query = `{ component(by: { componentId: "${componentId}" }) { instances { name } } }`;
      return (await trellis.data(query)).component.instances.length;
    };
    await expect.poll(instances, patience).toBe(1);
    const { logs } = await read(uid, 'logs { lines { text instance } }');
    expect(logs.lines.map(({ text }: { text: string }) => text)).toEqual(['one', 'two']);
  });

  it('comes before the first deploy, with a volume and a configuration that nothing has applied yet', async () => {
    const volumes = [{ name: 'uploads', path: '/uploads', type: 'share-file', accessMode: 'RWX' }];
    const variables = [{ name: 'MODE', value: 'live' }];
    const preDeployCommand = ['sh', '-c', 'sleep 1; exit 0'];
    const input = { volumes, variables, preDeployCommand };
    const [{ componentId }] = (await deploy(trellis, place, [input], null)) as [Deployed];
    const workloads = () =>
      all('Deployment').filter(({ metadata }) => metadata.labels['trellis.dev/component'] === componentId);
    await expect.poll(() => jobs(componentId).length, patience).toBe(1);
    const [{ spec }] = jobs(componentId) as any[];
    const [main] = spec.template.spec.containers;
    expect(main).toMatchObject({ image: 'nginx:1.29', command: preDeployCommand });
    const [{ persistentVolumeClaim }] = spec.template.spec.volumes;
    const claims = () => all('PersistentVolumeClaim').map(({ metadata }) => metadata.name);
    await expect.poll(claims, patience).toContain(persistentVolumeClaim.claimName);
    await expect.poll(() => workloads().length, patience).toBe(1);
    const endedAt = Date.parse(jobs(componentId)[0].status.completionTime);
    expect(Date.parse(workloads()[0]!.metadata.creationTimestamp!)).toBeGreaterThanOrEqual(endedAt);
    // It fails before the next one.
    const update = { image: 'nginx:1.30', preDeployCommand: ['sh', '-c', 'exit 9'], deploy: true };
    const { job } = await trellis.succeed(
      'updateComponent',
      { component: { componentId }, ...update },
      'job { uid }',
    );
    const query = `{ job(by: { jobId: ${job.uid} }) { status components { nodes { preDeployRun { exitCode } } } } }`;
    const ended = async () => (await trellis.data(query)).job;
    await expect.poll(async () => (await ended()).status, patience).toBe('FAILED');
    expect((await ended()).components.nodes).toEqual([{ preDeployRun: { exitCode: 9 } }]);
    expect(workloads()[0]!.spec.template.spec.containers[0].image).toBe('nginx:1.29');
    // What is applied next is what ran.
    await trellis.succeed('scaleComponent', { component: { componentId }, replicas: 2 }, '__typename');
    await expect.poll(() => workloads()[0]!.spec.replicas, patience).toBe(2);
    expect(workloads()[0]!.spec.template.spec.containers[0].image).toBe('nginx:1.29');
  });

  it('is started by a schedule, with its exit code and its log', async () => {
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const component = { componentId };
    const command = ['sh', '-c', 'echo by schedule; exit 4'];
    const input = { component, cron: rarely, command, timeoutSeconds: 70 };
    const { schedule } = await trellis.succeed('createSchedule', input, 'schedule { uid }');
    await makeDue(trellis, schedule.uid);
    const runs = async () =>
      (
        await trellis.data(
          'query($by: ComponentRef!) { component(by: $by) { runs { nodes { uid endedAt } } } }',
          { by: component },
        )
      ).component.runs.nodes;
    await expect.poll(async () => (await runs())[0]?.endedAt, patience).toEqual(expect.any(String));
    const [{ uid }, ...others] = await runs();
    expect(others).toEqual([]);
    const run = await read(uid, `${fields} schedule { uid } logs { lines { text } }`);
    expect(run).toMatchObject({ status: 'FAILED', exitCode: 4, schedule: { uid: schedule.uid } });
    expect(run.logs.lines).toEqual([{ text: 'by schedule' }]);
    expect(jobs(componentId).map(({ spec }) => spec.activeDeadlineSeconds)).toEqual([130]);
  });

  it('is followed until it has ended', async () => {
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const { uid } = await start(componentId, ['sh', '-c', 'echo first; sleep 2']);
    const query =
      'subscription($of: ComponentRef!, $run: RunRef) { componentLogs(component: $of, run: $run) { lines { text } } }';
    const variables = { of: { componentId }, run: { runId: uid } };
    const following = await subscribe(trellis, query, { variables });
    expect(await following.hasBegun).toBe(true);
    const items = await until(following, ({ event }) => event === 'complete');
    expect(items.flatMap(({ data }) => data?.data?.componentLogs.lines ?? [])).toEqual([{ text: 'first' }]);
    expect(await over(uid)).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
  });

  it('is ended by its deadline, and by a user, with its pod', async () => {
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const late = await start(componentId, ['sleep', '100000'], { timeoutSeconds: 3 });
    const long = await start(componentId, ['sleep', '100000']);
    await running(long.uid);
    await trellis.succeed('cancelRun', { run: { runId: long.uid } }, '__typename');
    expect(await over(long.uid)).toMatchObject({ status: 'CANCELLED' });
    expect(jobs(componentId).map(({ metadata }) => metadata.labels['trellis.dev/run'])).toEqual([late.uid]);
    // The time of this cluster passes faster, so that it ends the run before the gateway does.
    expect(await over(late.uid)).toMatchObject({ status: 'TIMED_OUT', exitCode: null });
    await expect.poll(() => podsOfRuns(componentId), patience).toEqual([]);
  });

  it('says why it cannot start, and that somebody has deleted it', async () => {
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const image = 'registry.example/tool:broken';
    await trellis.succeed('updateComponent', { component: { componentId }, image }, '__typename');
    await trellis.succeed('deployComponent', { component: { componentId } }, '__typename');
    const { uid } = await start(componentId, ['true']);
    await expect.poll(async () => (await read(uid)).reason, patience).toMatch(/ImagePullBackOff/);
    expect((await read(uid)).status).toBe('PENDING');
    const [job] = jobs(componentId);
    const path = `/apis/batch/v1/namespaces/${place.namespace}/jobs/${job.metadata.name}?propagationPolicy=Background`;
    server.cluster.handle({ method: 'DELETE', path }, 'admin');
    expect(await over(uid)).toMatchObject({ status: 'FAILED', exitCode: null });
    expect((await read(uid)).reason).toMatch(/^Somebody deleted the run/);
  });

  it('is removed with its component, whose deletion waits for its pod', async () => {
    const [{ componentId }] = (await deploy(trellis, place)) as [Deployed];
    const { uid } = await start(componentId, ['sleep', '100000']);
    await running(uid);
    expect(podsOfRuns(componentId)).toHaveLength(1);
    const { job } = await trellis.succeed(
      'deleteComponent',
      { component: { componentId }, force: true },
      'job { uid }',
    );
    const status = async () =>
      (await trellis.data(`{ job(by: { jobId: ${job.uid} }) { status } }`)).job.status;
    await expect.poll(status, patience).toBe('SUCCEEDED');
    expect([...jobs(componentId), ...podsOfRuns(componentId)]).toEqual([]);
  });

  it('is not needed to deploy, by an account that may do nothing with Jobs', async () => {
    const { rules } = platform('jobs');
    server.cluster.users.set('older', { name: 'older', rules });
    const older = await createClusterPlace(trellis, server, { token: 'older' });
    const [{ componentId }] = (await deploy(trellis, older)) as [Deployed];
    const { uid } = await start(componentId, ['true']);
    await expect
      .poll(async () => (await read(uid)).reason, patience)
      .toMatch(/may not|not allowed|forbidden/i);
    await trellis.succeed('cancelRun', { run: { runId: uid } }, '__typename');
    const { job } = await trellis.succeed(
      'deleteComponent',
      { component: { componentId }, force: true },
      'job { uid }',
    );
    const status = async () =>
      (await trellis.data(`{ job(by: { jobId: ${job.uid} }) { status } }`)).job.status;
    await expect.poll(status, patience).toBe('SUCCEEDED');
  });
});
