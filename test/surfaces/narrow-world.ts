import { call, createHook } from '../support/deploy-hooks.ts';
import { upgradedGroup } from '../support/installs.ts';
import { rarely } from '../support/schedules.ts';
import type { Trellis } from '../support/trellis.ts';

interface Part {
  componentId: string;
}

interface Filled {
  appId: number;
  /** The name of the application. */
  app: string;
  /** What the names of all that belongs to the component begin with. */
  name: string;
  part: Part;
  place: { team: object; region: object };
}

/** What the walk has to name, because queries look it up by an argument. */
export interface Named {
  previewId: string;
  runId: string;
  scheduleId: string;
}

/** Gives an application and one of its components one of everything that can belong to them, so that no list is empty. */
export async function fill(
  trellis: Trellis,
  { appId, app, name, part, place }: Filled,
  endpoint: string,
): Promise<Named> {
  const [application, component] = [{ appId }, { componentId: part.componentId }];
  const make = (mutation: string, input: object, selection = '__typename') =>
    trellis.succeed(mutation, input, selection);
  const command = [`${name}-command`];
  const header = { key: 'X-Part', value: name };
  const hook = await createHook(trellis, component, undefined, { name: `${name}-hook` });
  const { schedule } = await make(
    'createSchedule',
    { component, name: `${name}-schedule`, cron: rarely, command },
    'schedule { scheduleId: uid }',
  );
  const { run } = await make('runComponent', { component, command }, 'run { runId: uid }');
  await trellis.addPort(part.componentId, 9090, { protocol: 'TCP' });
  await make('createTcpRule', { application, component, portNumber: 9090, endpoint, extensions: [header] });
  const volume = { at: { component, name: `${name}-volume` } };
  await make('setSnapshotSchedule', { volume, cron: rarely, keep: 3 });
  await make('createVolumeSnapshot', { volume, name: `${name}-snapshot` });
  await make('setProbes', {
    component,
    startup: { command },
    readiness: { http: { path: '/', port: 8080, headers: [{ name: header.key, value: name }] } },
    liveness: { tcp: { port: 8080 } },
  });
  await make('setPlacement', {
    component,
    nodeLabels: [{ key: 'disk', value: `${name}-disk` }],
    tolerations: [{ key: `${name}-taint` }],
  });
  await make('setAutoscaling', { component, minReplicas: 1, maxReplicas: 2, cpuPercent: 80 });
  await make('updateComponent', { component, preDeployCommand: command });
  const { status } = await call(trellis, hook);
  if (status !== 202) throw new Error(`${name}: the deploy hook answered ${status}`);
  await make('rollbackUpgrade', { group: await upgradedGroup(trellis, appId) });
  const seed = { component: `${name}-part`, command };
  await make('updateApplication', { application, previews: { components: [`${name}-part`], seed } });
  const { preview } = await make(
    'openPreview',
    { application, key: `${name}-preview` },
    'preview { previewId: uid }',
  );
  const document = `application: ${app}\ncomponents: { ${name}-part: {} }`;
  await make('applyManifest', { ...place, document });
  await relate(trellis, { componentId: part.componentId, ...run, ...schedule });
  return { previewId: preview.previewId, runId: run.runId, scheduleId: schedule.scheduleId };
}

/** What workers set: the run of a schedule that a job waits for, which has failed. */
async function relate(
  { services: { db } }: Trellis,
  { componentId, runId, scheduleId }: { componentId: string; runId: string; scheduleId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id, jobId, componentName } = await tx.jobComponent.findFirstOrThrow({
      where: { componentId },
      orderBy: { id: 'desc' },
    });
    await tx.componentRun.update({ where: { id: runId }, data: { jobId, scheduleId } });
    const error = `${componentName} waits`;
    await tx.jobComponent.update({ where: { id }, data: { runId, error } });
  });
}

/** Makes the one application a copy of the other, and its release one that was promoted from there. */
export async function derive(
  { services: { db } }: Trellis,
  copy: { appId: number; part: Part },
  original: { appId: number; part: Part },
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.application.update({ where: { id: copy.appId }, data: { copyOfId: original.appId } });
    const { id: promotedId } = await tx.release.findFirstOrThrow({
      where: { componentId: original.part.componentId },
    });
    await tx.release.updateMany({
      where: { componentId: copy.part.componentId },
      data: { promotedId },
    });
  });
}
