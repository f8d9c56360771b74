import type { ComponentIdentity } from '../../desired.ts';
import type { RunOrder } from '../../runs.ts';
import { ClusterError, type ListQuery } from '../cluster/answers.ts';
import type { Client } from '../cluster/client.ts';
import { type KubernetesObject, labels } from '../objects/objects.ts';
import { type ClusterScope, namespaceIn } from '../write/scope.ts';
import { hasFinished } from './report.ts';

const selectorOf = ({ id }: Pick<ComponentIdentity, 'id'>) => `${labels.runOf}=${id}`;

/** The selector of the Job of a run, and of its pod. */
export const selectorOfRun = (component: Pick<ComponentIdentity, 'id'>, { id }: Pick<RunOrder, 'id'>) =>
  `${selectorOf(component)},${labels.run}=${id}`;

/** The objects of a list. There are no Jobs where the account of the region may not list them, because there are no runs either. */
async function listOf(
  client: Client,
  kind: 'Job' | 'Pod',
  query: ListQuery,
  signal: AbortSignal,
): Promise<KubernetesObject[]> {
  const { items } = await client.list(kind, signal, query).catch((error) => {
    if (kind === 'Job' && error instanceof ClusterError && error.code === 403) return { items: [] };
    throw error;
  });
  return items;
}

const jobsOf = ({ connection, region, signal }: ClusterScope, component: ComponentIdentity) =>
  listOf(
    connection.client,
    'Job',
    { namespace: namespaceIn(region, component), labelSelector: selectorOf(component) },
    signal,
  );

/** The objects that the runs of a component will read when their pods start, in the form of pods. */
export async function readersOfRuns(
  place: ClusterScope,
  component: ComponentIdentity,
): Promise<KubernetesObject[]> {
  const jobs = await jobsOf(place, component);
  return jobs.filter((job) => !hasFinished(job)).map(({ spec }) => ({ ...spec.template, metadata: {} }));
}

/** Whether a job has found runs of a component in its namespace, with their pods, when it has looked there first. */
async function hadRuns(
  { connection, looks, region }: ClusterScope,
  component: ComponentIdentity,
): Promise<boolean> {
  const namespace = namespaceIn(region, component);
  const query = { namespace, labelSelector: labels.runOf };
  const listed = (kind: 'Job' | 'Pod') =>
    looks.listed(`${kind} ${namespace}`, labels.runOf, () =>
      listOf(connection.client, kind, query, connection.ended),
    );
  const [jobs, pods] = await Promise.all([listed('Job'), listed('Pod')]);
  return jobs.has(component.id) || pods.has(component.id);
}

/** Removes the runs of a component. Returns whether they are gone, with their pods. */
export async function removeRuns(place: ClusterScope, component: ComponentIdentity): Promise<boolean> {
  if (!(await hadRuns(place, component))) return true;
  const { connection, region, signal } = place;
  const { client } = connection;
  const jobs = await jobsOf(place, component);
  // Without a policy, the pods of a Job would stay.
  await Promise.all(jobs.map((job) => client.remove(job, signal, { propagationPolicy: 'Background' })));
  const query = { namespace: namespaceIn(region, component), labelSelector: selectorOf(component) };
  const { items } = await client.list('Pod', signal, query);
  return jobs.length === 0 && items.length === 0;
}
