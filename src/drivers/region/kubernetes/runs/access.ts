import type { ComponentIdentity, DesiredComponent } from '../../desired.ts';
import type { RunAccess, RunOrder } from '../../runs.ts';
import { followWithWorkErrors } from '../cluster/errors.ts';
import type { EventSettings } from '../cluster/pod-events.ts';
import { eventNeed } from '../instances/trouble.ts';
import { runLogQueryOf } from '../logs/queries.ts';
import type { StoredLines } from '../logs/stored-lines.ts';
import { applyNamespaces } from '../namespace/apply.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { type KubernetesObject, labels, ownerLabelOf, withMetadata } from '../objects/objects.ts';
import { applyObject, applyOwn } from '../write/apply-object.ts';
import { listOf } from '../write/own-objects.ts';
import { requireOwn } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import type { InCluster } from '../write/scopes.ts';
import { jobOf, readBy } from './job.ts';
import { followRun, readRun } from './logs.ts';
import { selectorOfRun } from './objects.ts';
import { hasFinished, reportOf } from './report.ts';

async function objectsOf(
  scope: ClusterScope,
  component: ComponentIdentity,
  run: Pick<RunOrder, 'id'>,
): Promise<{ job: KubernetesObject | undefined; pods: KubernetesObject[] }> {
  const selector = selectorOfRun(component, run);
  const [[job], pods] = await Promise.all([
    listOf(scope, 'Job', component, selector),
    listOf(scope, 'Pod', component, selector),
  ]);
  return { job, pods };
}

/** Applies the Job of a run, unless there is one, and what it reads. Refuses what another component has. */
async function applyRun(
  scope: ClusterScope,
  component: DesiredComponent,
  run: RunOrder,
  before: KubernetesObject | undefined,
): Promise<KubernetesObject> {
  const { connection, region, signal } = scope;
  const namespace = namespaceIn(region, component);
  const inNamespace = (object: KubernetesObject) => withMetadata(object, { namespace });
  const { configuration, claims } = readBy(component, region.cluster);
  const objects = configuration.map(inNamespace);
  for (const object of objects) await requireOwn(connection.client, object, labels.component, signal);
  for (const claim of claims.map(inNamespace)) {
    // Before the first deploy, nobody has made it.
    const label = ownerLabelOf(claim);
    if (!(await requireOwn(connection.client, claim, label, signal))) await applyOwn(scope, claim, label);
  }
  const desired = inNamespace(jobOf(component, run));
  if (!before) await requireOwn(connection.client, desired, labels.run, signal);
  // First the Job: a deploy that removes old configuration keeps what Jobs read.
  const job = before ?? (await applyObject(scope, desired));
  for (const object of objects) await applyOwn(scope, object, labels.component);
  return job;
}

/** Runs as Jobs. */
export function runAccess(
  inCluster: InCluster,
  storedLines: StoredLines,
  settings: EventSettings,
): RunAccess {
  return {
    look: (region, component, run, signal) =>
      inCluster(region, signal, async (scope) => {
        const { job, pods } = await objectsOf(scope, component, run);
        return reportOf(job, pods, await scope.connection.podEvents.read(pods, eventNeed, settings));
      }),
    start: (region, component, run, signal) =>
      inCluster(region, signal, async (scope) => {
        const before = await objectsOf(scope, component, run);
        if (before.job && hasFinished(before.job)) return reportOf(before.job, before.pods);
        await applyNamespaces(scope, component);
        const job = await applyRun(scope, component, run, before.job);
        return reportOf(job, before.pods);
      }),
    end: (region, component, run, signal) =>
      inCluster(region, signal, async (scope) => {
        const { job, pods } = await objectsOf(scope, component, run);
        // Without a policy, the pods of a Job would stay.
        if (job) await scope.connection.client.remove(job, signal, { propagationPolicy: 'Background' });
        return !job && pods.length === 0;
      }),
    logs: (run, query, signal) => inCluster(run.regionId, signal, (scope) => readRun(scope, run, query)),
    stored: (run, query, signal) =>
      storedLines(
        run.regionId,
        run.component,
        query,
        (namespace) => runLogQueryOf(namespace, run, query),
        signal,
      ),
    async *follow(run, query, signal) {
      const scope = await inCluster(run.regionId, signal, async (each) => each);
      yield* followWithWorkErrors(signal, followRun(scope, run, query));
    },
  };
}
