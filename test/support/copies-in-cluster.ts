import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copy } from './copies.ts';
import { contentOf, objectsOf } from './kubernetes/team-applications.ts';
import { useClusterWorld } from './kubernetes/world.ts';
import { documents } from './manifest-documents.ts';
import { changePast, changesPast } from './manifest-properties.ts';
import { apply, elsewhere } from './manifests.ts';
import { rarely } from './schedules.ts';
import { rowsLeft } from './unchanged.ts';

/** The most applications that are copied at the same time. */
const mostAtOnce = 20;

/** What the cluster shows follows the end of a job. */
const patience = { timeout: 120_000, interval: 500 };

const isolations = fc.constantFrom('OWN', 'TEAM');

/** A time limit that no machine is too slow for. */
const ample = 3_600;

/**
 * A generated application as one that the cluster can run, beside the others. Nothing of it runs at a time of its own, or ends
 * because the machine is slow.
 */
function runnable({ components, routes = [], ...application }: any, isolation: string, index: number) {
  // The cluster knows no program for the words of generated commands.
  const componentOf = ({ command, entrypoint, schedules = {}, ...component }: any) => ({
    ...component,
    ...(component.preDeployTimeoutSeconds !== undefined && { preDeployTimeoutSeconds: ample }),
    ...(component.deployDeadlineSeconds !== undefined && { deployDeadlineSeconds: ample }),
    schedules: Object.fromEntries(
      Object.entries<any>(schedules).map(([name, schedule]) => [name, { ...schedule, cron: rarely }]),
    ),
  });
  // Nor can a gateway rewrite by regular expressions.
  const routeOf = ({ rewrites, endpoint, ...route }: any) => ({
    ...route,
    ...(endpoint && { endpoint: endpoint.replace(/\d+$/, (port: string) => Number(port) + 100 * index) }),
  });
  return {
    ...application,
    isolation,
    components: Object.fromEntries(
      Object.entries<any>(components).map(([name, component]) => [name, componentOf(component)]),
    ),
    routes: routes.map(routeOf),
  };
}

/**
 * Copies so many generated applications into a cluster beside the originals, deploys them, and deletes them: the database and the
 * cluster are as before.
 */
export function describeCopiesInCluster(defaultRuns: number): void {
  const runs = Number(process.env.COPY_RUNS ?? defaultRuns);
  const atOnce = Math.min(mostAtOnce, runs);
  const { trellis, server, place } = useClusterWorld(
    { jobs: { backoffMaxMs: 100 }, runs: {} },
    {
      hasSnapshots: true,
      place: { token: 'platform', cluster: { gatewayClass: 'test', sharedStorageClass: 'shared' } },
    },
  );

  const settled = async () => {
    const { db } = trellis.services;
    const unfinished = async () => {
      const from = (table: string) => `SELECT id FROM ${table} WHERE status IN ('pending', 'running')`;
      return [...(await db.query(from('job'), [])), ...(await db.query(from('component_run'), []))];
    };
    await expect.poll(unfinished, { timeout: 240_000, interval: 200 }).toEqual([]);
  };
  const objects = () => contentOf(objectsOf(server.cluster));
  /** Instances that end are still objects of the cluster. */
  const ending = () =>
    Object.entries(objectsOf(server.cluster)).flatMap(([name, { metadata }]) =>
      metadata.deletionTimestamp ? name : [],
    );
  const statesOf = async (appId: number) => {
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { components(first: 100) { nodes { name state } } } }`,
    );
    return application.components.nodes.map(({ name, state }: any) => `${name} ${state}`).sort();
  };
  const remove = (appId: number) =>
    trellis.succeed(
      'deleteApplication',
      { application: { appId }, force: true, deleteVolumes: true },
      '__typename',
    );

  const leavesNothing = fc.asyncProperty(
    fc.array(fc.tuple(documents, changesPast, isolations), { minLength: atOnce, maxLength: atOnce }),
    async (generated) => {
      const at = { team: { teamId: place.teamId }, region: { regionId: place.region.regionId } } as any;
      const originals: number[] = [];
      for (const [index, [document, , isolation]] of generated.entries()) {
        const text = elsewhere(JSON.stringify(runnable(document, isolation, index)), `app-${index}`);
        const { application } = await apply(trellis, at, text, { deploy: 'ALL' });
        originals.push(application.appId);
      }
      await settled();
      for (const [index, appId] of originals.entries())
        await changePast(trellis, generated[index]![1], appId);
      await settled();
      await expect.poll(ending, patience).toEqual([]);
      const before = { rows: await rowsLeft(trellis), objects: objects() };
      const copies: number[] = [];
      for (const appId of originals) {
        const made = await copy(trellis, { application: { appId }, name: `copy-${appId}`, deploy: true });
        copies.push(made.application!.appId);
      }
      await settled();
      for (const [index, appId] of copies.entries())
        await expect.poll(() => statesOf(appId), patience).toEqual(await statesOf(originals[index]!));
      expect(Object.keys(objects()).length).toBeGreaterThan(Object.keys(before.objects).length);
      for (const appId of copies) await remove(appId);
      await settled();
      await expect.poll(objects, patience).toEqual(before.objects);
      expect(await rowsLeft(trellis)).toEqual(before.rows);
      for (const appId of originals) await remove(appId);
      await settled();
    },
  );

  describe('copies in a cluster', () => {
    const numRuns = Math.ceil(runs / atOnce);
    it(`leave nothing of them when they are deleted: ${runs}`, { timeout: 120_000 + runs * 10_000 }, () =>
      fc.assert(leavesNothing, { numRuns, endOnFailure: true }),
    );
  });
}
