import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { followed } from '../../graphql/schema/nodes-changed.ts';
import { rowSource, subscription } from '../../graphql/schema/subscription.ts';
import { type Actor, maySee, placeOf } from '../../kernel/access.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { loadTeam } from '../team/reads.ts';
import { Job, JobRef } from './graphql.ts';
import { jobRef } from './model.ts';
import { placesOfJob, requireJob, visibleJob } from './reads.ts';

const noun = 'job';

/** Throws if an actor may no longer see the job. */
async function requirementOf(context: Context, job: Row<'Job'>) {
  const team = await loadTeam(context, job.teamId);
  const places = (await placesOfJob(context, job)).map((place) => ({ ...placeOf(team), ...place }));
  return (actor: Actor) => {
    if (!places.some((place) => maySee(actor, place))) throw new NotFoundError(noun);
  };
}

followed('Job', async (context, id) => {
  const job = await visibleJob(context, id);
  return job && { topic: `job/${job.id}`, require: await requirementOf(context, job) };
});

subscription('jobChanged', {
  type: Job,
  description:
    'The job, each time it or the work on one of its components changes. After several changes in quick succession, only the state after the last one is sent. With `Last-Event-ID`, the first item is the current state, unless the client has already received it.',
  argument: { name: 'job', type: JobRef, schema: jobRef, description: 'The job.' },
  async subscribe(context, ref) {
    const job = await requireJob(context, ref);
    const require = await requirementOf(context, job);
    return rowSource(context, 'Job', job.id, { require, noun });
  },
});
