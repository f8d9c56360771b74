import { randomUUID } from 'node:crypto';
import type { Context, Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, type Write } from '../../db/write/change.ts';
import { ownTransaction } from '../../db/write/own-events.ts';
import { createLoaders } from '../../kernel/batch.ts';
import { ApiError } from '../../kernel/errors.ts';
import { rightsOf } from '../../kernel/rights.ts';
import { timeoutDefaults } from '../component/command-model.ts';
import { wasDeployed } from '../component/state-model.ts';
import { isUnfinished } from '../job/model.ts';
import { insertJob, type JobTarget } from '../job/rows.ts';
import { insertRun } from '../run/rows.ts';
import type { UpkeepTask } from '../upkeep/operations.ts';
import { deleteCopy } from './close-operations.ts';
import { forgetPreview, settle, takeSeed } from './rows.ts';

type Preview = Row<'Preview'>;

const everyMs = 10_000;
const atOnce = 100;
/** How long after a job that could not remove a preview from its cluster another one tries it. */
const retryAfterMs = 300_000;

/** Deletes previews that have expired, sees that the cluster has nothing of them, and starts the commands after first deploys. */
export const previewUpkeep = (services: Services): UpkeepTask => ({
  name: 'previews',
  everyMs,
  run: (signal, now) => lookAfterPreviews(services, now, signal),
});

/** Looks after the previews that need something at a time. What fails is tried again the next time, and says why. */
export async function lookAfterPreviews(
  services: Services,
  now: Date,
  signal = new AbortController().signal,
): Promise<void> {
  const needing = { OR: [{ expiresAt: { lte: now } }, { copyId: null }, { seed: { not: null } }] };
  for (let last = ''; !signal.aborted; ) {
    const found = await services.db.transaction((tx) =>
      tx.preview.findMany({ where: { id: { gt: last }, ...needing }, orderBy: { id: 'asc' }, take: atOnce }),
    );
    for (const preview of found) {
      if (signal.aborted) return;
      try {
        await lookAfter(services, preview, now);
      } catch (error) {
        services.log.warn({ preview: preview.id, error }, 'a preview could not be looked after');
        // Other messages are only for the log.
        const problem =
          error instanceof ApiError ? error.message : 'An internal error occurred. Trellis will try again.';
        if (problem !== preview.problem)
          await ownTransaction(services.db, ({ tx }) => settle(tx, preview, { problem }));
      }
    }
    if (found.length < atOnce) return;
    last = found.at(-1)!.id;
  }
}

async function lookAfter(services: Services, preview: Preview, now: Date): Promise<void> {
  if (preview.copyId === null) return settleDeletion(services, preview, now);
  if (preview.expiresAt > now) return startSeed(services, preview);
  const place = await placeOf(services, preview.copyId);
  if (place) await deleteCopy(contextOf(services, place), place, preview.copyId, false);
}

/** Where a copy is. Null if it was deleted meanwhile. */
async function placeOf({ db }: Services, copyId: number) {
  const [copy] = await db.application.findManyByKeys({ by: 'id', keys: [copyId] });
  if (!copy) return null;
  const [[team], [region]] = await Promise.all([
    db.team.findManyByKeys({ by: 'id', keys: [copy.teamId] }),
    db.region.findManyByKeys({ by: 'id', keys: [copy.regionId] }),
  ]);
  return team && region ? { team, region } : null;
}

/** The context of a change that Trellis makes by itself. */
const contextOf = (services: Services, { team }: { team: Pick<Row<'Team'>, 'enterpriseId'> }): Context => ({
  ...services,
  requestId: randomUUID(),
  loaders: createLoaders(),
  actor: {
    ...{ userId: null, serviceAccountId: null, tokenId: null, sessionId: null },
    enterpriseId: team.enterpriseId,
    isReadOnly: false,
    ...rightsOf({ isAdministrator: true, teams: [] }, null),
  },
});

/** Forgets a preview of which the cluster has nothing any more. What could not be removed is removed by another job. */
async function settleDeletion(services: Services, preview: Preview, now: Date): Promise<void> {
  const job = await services.db.transaction((tx) =>
    tx.job.findUnique({
      where: { id: preview.jobId ?? 0 },
      include: { components: true, team: true, region: true },
    }),
  );
  if (!job || job.status === 'succeeded') {
    await ownTransaction(services.db, ({ tx }) => forgetPreview(tx, preview));
    return;
  }
  if (isUnfinished(job.status) || now.getTime() - (job.endedAt?.getTime() ?? 0) < retryAfterMs) return;
  const left = job.components.filter(({ status }) => status !== 'succeeded');
  const targets = left.map(
    ({ componentId, componentName, generation, step, removed }): JobTarget => ({
      component: { id: componentId, name: componentName, generation },
      action: 'remove',
      step,
      removed: JSON.parse(removed ?? '{}') as object,
    }),
  );
  const { team, region } = job;
  const context = contextOf(services, { team });
  await change(context, 'preview.update', async (write: Write<Context>) => {
    const again = await insertJob(write, { kind: 'delete', team, region, applicationId: null, targets });
    const problem = left.find(({ error }) => error !== null)?.error ?? job.error;
    await settle(write.tx, preview, { jobId: again.id, problem });
  });
}

/** Starts the command after the first deploy, once that has succeeded. */
async function startSeed(services: Services, preview: Preview): Promise<void> {
  const { seed, jobId, copyId } = preview;
  if (seed === null || copyId === null) return;
  const { db } = services;
  const place = await placeOf(services, copyId);
  if (!place) return;
  const [job] = jobId === null ? [] : await db.job.findManyByKeys({ by: 'id', keys: [jobId] });
  if (job && job.status !== 'succeeded') return;
  const { component: name, command } = JSON.parse(seed) as { component: string; command: string[] };
  await change(contextOf(services, place), 'run.start', async (write: Write<Context>) => {
    const { tx } = write;
    const component = await tx.component.findFirst({ where: { applicationId: copyId, name } });
    // Of several gateways, one starts it.
    if (!(await takeSeed(tx, preview))) return;
    if (!component || !wasDeployed(component)) {
      const problem = `The command after the first deploy was not run: the component ${name} ${component ? 'was not deployed' : 'is missing'}.`;
      return settle(tx, preview, { problem });
    }
    const run = await insertRun(write, component, { command, timeoutSeconds: timeoutDefaults.seconds });
    await settle(tx, preview, { seedRunId: run.id });
    write.afterCommit(() => services.runs?.wake());
  });
}
