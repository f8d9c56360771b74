import { describe, expect, it } from 'vitest';
import { JobWorker } from '../../../src/domain/job/worker/worker.ts';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { unique } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { eventsOf } from '../../support/own-events.ts';
import { useTrellis } from '../../support/trellis.ts';

const patience = { timeout: 20_000, interval: 60 };

/** What was applied: the component and its image. */
const applied: [id: string, image: string][] = [];
/** What commands were started with. */
const started: { id: string; image: string; variables: string[]; command: readonly string[] }[] = [];
const simulated = createSimulatedRegion({ delayMs: 50 });
const driver: typeof simulated = {
  ...simulated,
  apply: (region, component, work, signal) => {
    applied.push([component.id, component.image]);
    return simulated.apply(region, component, work, signal);
  },
  runs: {
    ...simulated.runs!,
    start: (region, component, run, signal) => {
      const variables = component.variables.map(({ name }) => name);
      started.push({ id: component.id, image: component.image, variables, command: run.command });
      return simulated.runs!.start(region, component, run, signal);
    },
  },
};
const trellis = useTrellis({ drivers: [driver], jobs: {}, runs: {} });

const fine = ['sh', '-c', 'exit 0'];
const broken = ['sh', '-c', 'echo migrating; exit 3'];
const endless = ['sleep', '600'];

async function createPlace() {
  const { teamId } = await trellis.createTeam();
  const region = await trellis.createRegion({ driver: 'SIMULATED' });
  const team = { teamId };
  await trellis.succeed('openTeamRegion', { team, region: { name: region.name } }, '__typename');
  const { appId } = await trellis.createApplication({ team, region } as never, unique('app'));
  return { teamId, appId, region };
}
const jobFields =
  'uid status error components { nodes { name status error preDeployRun { uid status exitCode command logs { lines { text } } job { uid } } } }';
const jobOf = async (jobId: number) =>
  (await trellis.data(`query($by: JobRef!) { job(by: $by) { ${jobFields} } }`, { by: { jobId } })).job;
const over = async ({ uid }: { uid: number }) => {
  await expect.poll(async () => (await jobOf(uid)).status, patience).toMatch(/SUCCEEDED|FAILED|CANCELLED/);
  return jobOf(uid);
};
const act = async (mutation: string, componentId: string, more: object = {}) =>
  (await trellis.succeed(mutation, { component: { componentId }, ...more }, `job { uid }`)).job;
const deploy = (componentId: string) => act('deployComponent', componentId);
const update = (componentId: string, more: object) =>
  trellis.succeed('updateComponent', { component: { componentId }, ...more }, '__typename');
const componentOf = async (componentId: string) =>
  (
    await trellis.data(
      'query($by: ComponentRef!) { component(by: $by) { desiredState state hasUndeployedChanges image preDeployCommand preDeployTimeoutSeconds runs(first: 100) { nodes { uid status } } } }',
      { by: { componentId } },
    )
  ).component;
const imagesOf = (componentId: string) => [
  ...new Set(applied.filter(([id]) => id === componentId).map(([, image]) => image)),
];
const startsOf = (componentId: string) => started.filter(({ id }) => id === componentId);
/** The run that a job waits for. */
const waitsFor = async (uid: number): Promise<string> => {
  const run = async () => (await jobOf(uid)).components.nodes[0].preDeployRun;
  await expect.poll(async () => (await run())?.status, patience).toBe('RUNNING');
  return (await run()).uid;
};

/** A component that runs `nginx:1`, and whose next deploy has a command before it. */
async function running(preDeployCommand: string[], more: object = {}) {
  const place = await createPlace();
  const { componentId } = await trellis.createComponent(place.appId, { image: 'nginx:1' });
  expect(await over(await deploy(componentId))).toMatchObject({ status: 'SUCCEEDED' });
  await update(componentId, { image: 'nginx:2', preDeployCommand, ...more });
  return { ...place, componentId };
}

describe('the command before a deploy', () => {
  once('runs once, with what is deployed, before anything is deployed', async () => {
    const { appId, teamId } = await createPlace();
    const { componentId } = await trellis.createComponent(appId, {
      image: 'nginx:1',
      preDeployCommand: fine,
      preDeployTimeoutSeconds: 60,
      variables: [{ name: 'DATABASE', value: 'shop' }],
    });
    expect(await componentOf(componentId)).toMatchObject({
      preDeployCommand: fine,
      preDeployTimeoutSeconds: 60,
    });
    const job = await over(await deploy(componentId));
    expect(job).toMatchObject({ status: 'SUCCEEDED', error: null });
    const [part] = job.components.nodes;
    expect(part).toMatchObject({
      status: 'SUCCEEDED',
      error: null,
      preDeployRun: { status: 'SUCCEEDED', command: fine, job: { uid: job.uid } },
    });
    expect(startsOf(componentId)).toEqual([
      { id: componentId, image: 'nginx:1', variables: ['DATABASE'], command: fine },
    ]);
    expect(await eventsOf(trellis, teamId, 'run.start')).toMatchObject([
      { objectUid: part.preDeployRun.uid },
    ]);
    // With the next deploy again, and with what is new; not with a restart or a scale.
    await update(componentId, { image: 'nginx:2' });
    await over(await deploy(componentId));
    await over(await act('restartComponent', componentId));
    await over(await act('scaleComponent', componentId, { replicas: 2 }));
    await over(await act('stopComponent', componentId));
    await over(await act('startComponent', componentId));
    expect(startsOf(componentId).map(({ image }) => image)).toEqual(['nginx:1', 'nginx:2']);
    expect(imagesOf(componentId)).toEqual(['nginx:1', 'nginx:2']);
    // Nothing to deploy.
    await update(componentId, { preDeployCommand: null });
    await over(await deploy(componentId));
    expect(startsOf(componentId)).toHaveLength(2);
    expect((await componentOf(componentId)).preDeployCommand).toBeNull();
  });

  it('stops the deploy if it fails: what ran stays as it was, whatever is done next', async () => {
    const { componentId, teamId } = await running(broken);
    const job = await over(await deploy(componentId));
    expect(job.status).toBe('FAILED');
    const [{ preDeployRun, error }] = job.components.nodes;
    expect(error).toBe(
      'The command before the deploy has failed with the exit code 3. See the log of its run. Nothing was deployed.',
    );
    expect(job.error).toContain(error);
    expect(preDeployRun.logs.lines.map(({ text }: { text: string }) => text)).toContain('migrating');
    expect(await componentOf(componentId)).toMatchObject({
      desiredState: 'RUNNING',
      state: 'RUNNING',
      hasUndeployedChanges: true,
      image: 'nginx:2',
    });
    expect(await eventsOf(trellis, teamId, 'component.deploy_stopped')).toMatchObject([
      { objectUid: componentId },
    ]);
    expect(await eventsOf(trellis, teamId, 'run.failed')).toHaveLength(1);
    await over(await act('restartComponent', componentId));
    await over(await act('scaleComponent', componentId, { replicas: 2 }));
    expect(startsOf(componentId)).toHaveLength(1);
    expect(imagesOf(componentId)).toEqual(['nginx:1']);
    await update(componentId, { preDeployCommand: fine });
    expect(await over(await deploy(componentId))).toMatchObject({ status: 'SUCCEEDED' });
    expect(imagesOf(componentId)).toEqual(['nginx:1', 'nginx:2']);
  });

  once('leaves a component undeployed or stopped if it fails, with those that depend on it', async () => {
    const { appId } = await createPlace();
    const { componentId } = await trellis.createComponent(appId, { preDeployCommand: broken });
    const dependent = await trellis.createComponent(appId, {
      dependencies: [{ componentId }],
      preDeployCommand: fine,
    });
    const all = { application: { appId } };
    const deployAll = async () => (await trellis.succeed('deployApplication', all, 'job { uid }')).job;
    expect(await over(await deployAll())).toMatchObject({ status: 'FAILED' });
    for (const id of [componentId, dependent.componentId]) {
      expect(await componentOf(id)).toMatchObject({
        desiredState: 'NOT_DEPLOYED',
        hasUndeployedChanges: false,
      });
      expect(imagesOf(id)).toEqual([]);
    }
    expect(startsOf(dependent.componentId)).toEqual([]);
    await update(componentId, { preDeployCommand: fine });
    expect(await over(await deployAll())).toMatchObject({ status: 'SUCCEEDED' });
    await update(componentId, { preDeployCommand: broken, image: 'nginx:2' });
    await over(await act('stopComponent', componentId, { force: true }));
    expect(await over(await deploy(componentId))).toMatchObject({ status: 'FAILED' });
    expect(await componentOf(componentId)).toMatchObject({
      desiredState: 'STOPPED',
      state: 'STOPPED',
      hasUndeployedChanges: true,
    });
  });

  it('is ended with its job, when it takes too long, and when somebody cancels it', async () => {
    const { componentId } = await running(endless, { preDeployTimeoutSeconds: 1 });
    const late = await over(await deploy(componentId));
    expect(late.components.nodes[0].error).toMatch(/^The command before the deploy took longer than 1 s\./);
    await update(componentId, { preDeployTimeoutSeconds: 600 });
    const cancelled = await deploy(componentId);
    const first = await waitsFor(cancelled.uid);
    const [waiting] = (await jobOf(cancelled.uid)).components.nodes;
    expect(waiting.error).toBe('The command before the deploy has not ended.');
    await trellis.succeed('cancelJob', { job: { jobId: cancelled.uid } }, '__typename');
    const statusOf = async (uid: string) =>
      (await componentOf(componentId)).runs.nodes.find((run: { uid: string }) => run.uid === uid).status;
    await expect.poll(() => statusOf(first), patience).toBe('CANCELLED');
    const other = await deploy(componentId);
    const second = await waitsFor(other.uid);
    await trellis.succeed('cancelRun', { run: { runId: second } }, '__typename');
    expect((await over(other)).components.nodes[0].error).toMatch(
      /^The command before the deploy was cancelled\./,
    );
    expect(await componentOf(componentId)).toMatchObject({ state: 'RUNNING', hasUndeployedChanges: true });
    expect(imagesOf(componentId)).toEqual(['nginx:1']);
  });

  it('is waited for by a later job, and ended by a later deploy or a stop', async () => {
    const { componentId } = await running(['sleep', '2']);
    const replaced = await deploy(componentId);
    const first = await waitsFor(replaced.uid);
    const scaled = await over(await act('scaleComponent', componentId, { replicas: 3 }));
    expect(scaled).toMatchObject({ status: 'SUCCEEDED' });
    expect(scaled.components.nodes[0].preDeployRun.uid).toBe(first);
    expect(imagesOf(componentId)).toEqual(['nginx:1', 'nginx:2']);
    await update(componentId, { image: 'nginx:3', preDeployCommand: endless });
    const ended = await waitsFor((await deploy(componentId)).uid);
    await update(componentId, { image: 'nginx:4', preDeployCommand: fine });
    expect(await over(await deploy(componentId))).toMatchObject({ status: 'SUCCEEDED' });
    expect(imagesOf(componentId)).toEqual(['nginx:1', 'nginx:2', 'nginx:4']);
    await update(componentId, { image: 'nginx:5', preDeployCommand: endless });
    const stopped = await waitsFor((await deploy(componentId)).uid);
    await over(await act('stopComponent', componentId));
    const statuses = async () =>
      (await componentOf(componentId)).runs.nodes
        .filter(({ uid }: { uid: string }) => [ended, stopped].includes(uid))
        .map(({ status }: { status: string }) => status);
    await expect.poll(statuses, patience).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await componentOf(componentId)).toMatchObject({ desiredState: 'STOPPED' });
  });

  it('is started once by two gateways, of which one is killed', async () => {
    const { componentId } = await running(['sleep', '1']);
    const { services } = trellis;
    // The work of a gateway that was killed while it looked at the command.
    const { uid } = await deploy(componentId);
    await waitsFor(uid);
    const leaseUntil = new Date(Date.now() - 1_000);
    const lost = { leaseOwner: 'killed', leaseUntil, dueAt: leaseUntil, status: 'running' };
    await services.db.transaction((tx) => tx.jobComponent.updateMany({ where: { jobId: uid }, data: lost }));
    const others = [1, 2].map(() => new JobWorker(services, { pollMs: 50 }));
    for (const other of others) other.start();
    try {
      expect(await over({ uid })).toMatchObject({ status: 'SUCCEEDED' });
    } finally {
      for (const other of others) await other.stop(5_000);
    }
    expect((await componentOf(componentId)).runs.nodes).toHaveLength(1);
    expect(imagesOf(componentId)).toEqual(['nginx:1', 'nginx:2']);
  });

  once('comes with manifests, rollbacks and promotions', async () => {
    const { appId, teamId, region } = await createPlace();
    const document = (command: string) =>
      `application: shop\ncomponents:\n  api: { image: nginx:1, preDeployCommand: [sh, -c, ${command}] }\n`;
    const applied = async (command: string) => {
      const input = { team: { teamId }, region: { name: region.name }, document: document(command) };
      return (await trellis.succeed('applyManifest', input, 'job { uid } application { uid }')) as any;
    };
    const { job, application } = await applied('exit 0');
    expect(await over(job)).toMatchObject({ status: 'SUCCEEDED' });
    const query = `{ application(by: { appId: ${application.uid} }) { manifest { document } components { nodes { uid releases { nodes { number } } } } } }`;
    const { manifest, components } = (await trellis.data(query)).application;
    expect(manifest.document).toMatch(/preDeployCommand: *\n? *(\[|-) ?sh/);
    const componentId = components.nodes[0].uid;
    expect(await over((await applied('exit 1')).job)).toMatchObject({ status: 'FAILED' });
    const back = await trellis.succeed(
      'rollbackComponent',
      { component: { componentId }, release: 1 },
      'job { uid }',
    );
    await over(back.job);
    expect((await componentOf(componentId)).preDeployCommand).toEqual(['sh', '-c', 'exit 0']);
    const target = await trellis.createComponent(appId, { name: 'api', deploy: true });
    const promoted = await trellis.succeed(
      'promoteRelease',
      { release: { at: { component: { componentId }, number: 1 } }, to: { appId } },
      'job { uid }',
    );
    expect(await over(promoted.job)).toMatchObject({ status: 'SUCCEEDED' });
    expect(startsOf(target.componentId)).toMatchObject([{ command: ['sh', '-c', 'exit 0'] }]);
  });
});
