import type { ComponentIdentity } from '../desired.ts';
import type { RunAccess, RunOrder, RunReport } from '../runs.ts';
import { applyObject, namespaceIn, type Place } from './apply-object.ts';
import { applyTeam } from './apply-team.ts';
import { configurationOf } from './configuration.ts';
import { withWorkErrors, workError } from './errors.ts';
import { runLogQueryOf } from './log-queries.ts';
import { type KubernetesObject, labels } from './objects.ts';
import { pullSecretOf } from './pull-secret.ts';
import { jobNameOf, jobOf } from './run-job.ts';
import { followRun, readRun } from './run-logs.ts';
import { hasFinished, reportOf } from './run-report.ts';
import type { StoredLines } from './stored-lines.ts';

/** What the cluster has of a run. */
async function found(
  { connection: { client }, region, signal }: Place,
  component: ComponentIdentity,
  run: Pick<RunOrder, 'id'>,
): Promise<{ job: KubernetesObject | undefined; pods: KubernetesObject[] }> {
  const namespace = namespaceIn(region, component);
  const [job, { items }] = await Promise.all([
    client.read('Job', namespace, jobNameOf(component, run), signal),
    client.list('Pod', signal, { namespace, labelSelector: `${labels.run}=${run.id}` }),
  ]);
  return { job: job && { ...job, kind: 'Job' }, pods: items };
}

/** Runs as Jobs. `placeOf` connects to a region. */
export function runAccess(
  placeOf: (region: { id: string; name: string }, signal: AbortSignal) => Promise<Place>,
  storedLines: StoredLines,
): RunAccess {
  const look = async (
    region: { id: string; name: string },
    component: ComponentIdentity,
    run: RunOrder,
    signal: AbortSignal,
  ): Promise<RunReport> => {
    const place = await placeOf(region, signal);
    return withWorkErrors(signal, async () => {
      const { job, pods } = await found(place, component, run);
      return reportOf(job, pods);
    });
  };
  return {
    look,
    async start(region, component, run, signal) {
      const place = await placeOf(region, signal);
      return withWorkErrors(signal, async () => {
        const before = await found(place, component, run);
        if (before.job && hasFinished(before.job)) return reportOf(before.job, before.pods);
        await applyTeam(place, component);
        const namespace = namespaceIn(place.region, component);
        const inNamespace = (object: KubernetesObject) => ({
          ...object,
          metadata: { ...object.metadata, namespace },
        });
        // First the Job: a deploy that removes old configuration keeps what Jobs read.
        const job = before.job ?? (await applyObject(place, inNamespace(jobOf(component, run))));
        const configuration = Object.values(configurationOf(component)).filter(
          (object) => object !== undefined,
        );
        for (const object of [...configuration, ...pullSecretOf(component)]) {
          await applyObject(place, inNamespace(object));
        }
        return reportOf(job, before.pods);
      });
    },
    async end(region, component, run, signal) {
      const place = await placeOf(region, signal);
      return withWorkErrors(signal, async () => {
        const { job, pods } = await found(place, component, run);
        // Without a policy, the pods of a Job would stay.
        if (job) await place.connection.client.remove(job, signal, { propagationPolicy: 'Background' });
        return !job && pods.length === 0;
      });
    },
    async logs(run, query, signal) {
      const place = await placeOf({ id: run.regionId, name: run.regionId }, signal);
      return withWorkErrors(signal, () => readRun(place, run, query));
    },
    stored: (run, query, signal) =>
      storedLines(run.regionId, query, (namespace) => runLogQueryOf(namespace, run, query), signal),
    async *follow(run, query, signal) {
      const place = await placeOf({ id: run.regionId, name: run.regionId }, signal);
      try {
        yield* followRun(place, run, query);
      } catch (error) {
        if (!signal.aborted) throw workError(error);
      }
    },
  };
}
