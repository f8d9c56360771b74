import { beforeAll, expect, it } from 'vitest';
import { createSimulatedRegion } from '../../../src/drivers/region/simulated/simulated.ts';
import { createJobPlace, ended, type JobPlace } from '../../support/jobs.ts';
import { useTrellis } from '../../support/trellis.ts';

const components = 64;

const trellis = useTrellis({ drivers: [createSimulatedRegion({ delayMs: 20 })], jobs: {} });
let place: JobPlace;
beforeAll(async () => {
  place = await createJobPlace(trellis, 'simulated', components);
  const { componentIds } = place;
  // Four of them depend on each.
  const data = componentIds
    .slice(1)
    .map((componentId, index) => ({ componentId, dependencyId: componentIds[Math.floor(index / 4)]! }));
  await trellis.services.db.transaction((tx) => tx.componentDependency.createMany({ data }));
});

/** Makes the change, waits for the end of its job, and returns the statuses and steps that there are. */
async function carryOut(mutation: string, input: object, returned: string) {
  await trellis.succeed(mutation, { application: { appId: place.appId }, ...input }, returned);
  const { team } = await trellis.data(
    `query($team: String!) { team(by: { teamId: $team }) { jobs(first: 1) { nodes { uid kind components { totalCount } } } } }`,
    { team: place.team.teamId },
  );
  const [job] = team.jobs.nodes;
  const { job: row, components: works } = await ended(trellis, { id: job.uid }, 60_000);
  return {
    kind: job.kind,
    status: row.status,
    components: job.components.totalCount,
    steps: Math.max(...works.map(({ step }) => step)) + 1,
    statuses: new Set(works.map(({ status }) => status)),
  };
}

const succeeded = { status: 'succeeded', components, statuses: new Set(['succeeded']) };

it('deploys, restarts and deletes an application of 64 components', async () => {
  const deployed = await carryOut('deployApplication', {}, 'application { appId: uid }');
  expect(deployed).toMatchObject({ ...succeeded, kind: 'DEPLOY', steps: 4 });
  const { application } = await trellis.data(
    `{ application(by: { appId: ${place.appId} }) { components(first: ${components}) { nodes { status: state } } } }`,
  );
  const statuses = application.components.nodes.map(({ status }: { status: string }) => status);
  expect(statuses).toEqual(Array(components).fill('RUNNING'));
  const restarted = await carryOut('restartApplication', {}, 'application { appId: uid }');
  expect(restarted).toMatchObject({ ...succeeded, kind: 'RESTART', steps: 4 });
  const deleted = await carryOut('deleteApplication', { force: true }, '__typename');
  expect(deleted).toMatchObject({ ...succeeded, kind: 'DELETE' });
});
