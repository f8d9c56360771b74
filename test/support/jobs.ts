import type { Context } from '../../src/context.ts';
import type { Row } from '../../src/db/tables.ts';
import { change } from '../../src/db/write/change.ts';
import { actorOf } from '../../src/domain/access-token/reads.ts';
import type { JobAction, JobKind } from '../../src/domain/job/model.ts';
import { insertJob } from '../../src/domain/job/rows.ts';
import type { RegionDriver } from '../../src/drivers/region/driver.ts';
import { createLoaders } from '../../src/kernel/batch.ts';
import { type Place, unique } from './fixtures.ts';
import { driverOf } from './region-drivers.ts';
import type { Trellis } from './trellis.ts';

/** The context of the first administrator, for what no mutation does. */
export async function administratorContext({ services, adminToken }: Trellis): Promise<Context> {
  const { actor } = (await actorOf(services.db, adminToken))!;
  return { ...services, actor, requestId: unique('request'), loaders: createLoaders() };
}

export interface JobPlace extends Place {
  appId: number;
  componentIds: string[];
}

/** An application with components, in a region with this driver. */
export async function createJobPlace(trellis: Trellis, driver: string, components = 1): Promise<JobPlace> {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const componentIds: string[] = [];
  // One after the other: they wait for each other anyway, because all change the application, and many at once are refused.
  for (let index = 0; index < components; index++) {
    const name = `c${String(index).padStart(3, '0')}`;
    const { componentId } = await trellis.createComponent(appId, { name, image: 'nginx:1.29' });
    componentIds.push(componentId);
  }
  await trellis.services.db.transaction((tx) =>
    tx.region.update({ where: { id: place.region.regionId }, data: { driver } }),
  );
  return { ...place, appId, componentIds };
}

export interface Submission {
  kind?: JobKind;
  action?: JobAction;
  state?: 'running' | 'closed';
  /** The steps of the components, in their order. */
  steps?: number[];
  componentIds?: string[];
}

/** Sets the desired state of components and inserts a job, as mutations do. */
export async function submit(
  trellis: Trellis,
  place: JobPlace,
  { kind = 'deploy', action = 'apply', state = 'running', steps = [], ...given }: Submission = {},
): Promise<Row<'Job'>> {
  const context = await administratorContext(trellis);
  const ids = given.componentIds ?? place.componentIds;
  return change(context, 'application.deploy', async (write) => {
    await write.tx.component.updateMany({
      where: { id: { in: ids } },
      data: { deployState: state, generation: { increment: 1 } },
    });
    const rows = await write.tx.component.findMany({ where: { id: { in: ids } }, orderBy: { name: 'asc' } });
    const region = (await write.tx.region.findUnique({ where: { id: place.region.regionId } }))!;
    return insertJob(write, {
      kind,
      team: { id: place.team.teamId },
      region,
      applicationId: place.appId,
      targets: rows.map((component, index) => ({
        component,
        action,
        step: steps[index] ?? 0,
        ...(action === 'remove' && { removed: component }),
      })),
    });
  });
}

/** A job that nobody carries out, as if the region of the scene had another driver. */
export async function pendingJob(
  trellis: Trellis,
  scene: {
    team: { teamId: string };
    region: { regionId: string };
    application: { appId: number };
    component: { componentId: string };
  },
): Promise<{ jobId: number }> {
  const context = await administratorContext(trellis);
  const job = await change(context, 'component.deploy', (write) =>
    insertJob(write, {
      kind: 'deploy',
      team: { id: scene.team.teamId },
      region: { id: scene.region.regionId, driver: 'none' },
      applicationId: scene.application.appId,
      targets: [
        { component: { id: scene.component.componentId, name: 'main', generation: 1 }, action: 'apply' },
      ],
    }),
  );
  return { jobId: job.id };
}

export type CallKind = 'apply' | 'restart' | 'remove';

/** A call to a driver, from its start to its end. */
export interface LoggedCall {
  kind: CallKind;
  componentId: string;
  generation?: number;
  startedAt: number;
  endedAt: number;
}

/** A driver that keeps a record of its calls, and does what `run` says. */
export function recordingDriver(
  name: string,
  run: (call: LoggedCall, signal: AbortSignal) => unknown = () => ({ isDone: true }),
) {
  const calls: LoggedCall[] = [];
  const record =
    (kind: CallKind): RegionDriver['apply'] =>
    async (_, component, _work, signal) => {
      const { id: componentId, generation } = component;
      const call: LoggedCall = {
        kind,
        componentId,
        generation,
        startedAt: performance.now(),
        endedAt: Number.POSITIVE_INFINITY,
      };
      calls.push(call);
      try {
        return (await run(call, signal)) as never;
      } finally {
        call.endedAt = performance.now();
      }
    };
  const driver = driverOf({
    name,
    apply: record('apply'),
    restart: record('restart'),
    remove: record('remove') as RegionDriver['remove'],
  });
  return { driver, calls };
}

/** The most calls that were in progress at the same moment. */
export function mostAtOnce(calls: readonly Pick<LoggedCall, 'startedAt' | 'endedAt'>[]): number {
  return Math.max(
    0,
    ...calls.map(
      ({ startedAt }) => calls.filter((one) => one.startedAt <= startedAt && startedAt < one.endedAt).length,
    ),
  );
}

/** The job and its components, as rows. */
export async function jobRows({ services: { db } }: Trellis, id: number) {
  const [[job], components] = await Promise.all([
    db.job.findManyByKeys({ by: 'id', keys: [id] }),
    db.jobComponent.findManyByKeys({ by: 'jobId', keys: [id] }),
  ]);
  components.sort((one, other) => one.id - other.id);
  return { job: job!, components };
}

/** Waits for the end of a job, and returns it with its components. */
export async function ended(trellis: Trellis, { id }: { id: number }, timeoutMs = 60_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const [job] = await trellis.services.db.job.findManyByKeys({ by: 'id', keys: [id] });
    // The components are read after the job has ended.
    if (job!.endedAt !== null) return jobRows(trellis, id);
    if (Date.now() > deadline) {
      throw new Error(`still in progress: ${JSON.stringify(await jobRows(trellis, id))}`);
    }
    // Waits on time: another process can carry the job out, and then only the database shows its end.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
