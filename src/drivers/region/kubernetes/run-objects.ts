import type { ComponentIdentity } from '../desired.ts';
import type { RunOrder } from '../runs.ts';
import { ClusterError } from './answers.ts';
import { namespaceIn, type Place } from './apply-object.ts';
import { type KubernetesObject, labels } from './objects.ts';
import { hasFinished } from './run-report.ts';

const selectorOf = ({ id }: Pick<ComponentIdentity, 'id'>) => `${labels.runOf}=${id}`;

/** The selector of the Job of a run, and of its pod. */
export const selectorOfRun = (component: Pick<ComponentIdentity, 'id'>, { id }: Pick<RunOrder, 'id'>) =>
  `${selectorOf(component)},${labels.run}=${id}`;

/** The Jobs of a component. None where the account of the region may not list them, so that there are no runs either. */
async function jobsOf(
  { connection, region, signal }: Place,
  component: ComponentIdentity,
): Promise<KubernetesObject[]> {
  const query = { namespace: namespaceIn(region, component), labelSelector: selectorOf(component) };
  const { items } = await connection.client.list('Job', signal, query).catch((error) => {
    if (error instanceof ClusterError && error.code === 403) return { items: [] };
    throw error;
  });
  return items;
}

/** What the runs of a component will read when their pods start, in the form of pods. */
export async function readersOfRuns(place: Place, component: ComponentIdentity): Promise<KubernetesObject[]> {
  const jobs = await jobsOf(place, component);
  return jobs.filter((job) => !hasFinished(job)).map(({ spec }) => ({ ...spec.template, metadata: {} }));
}

/** Removes the runs of a component. Returns whether they are gone, with their pods. */
export async function removeRuns(place: Place, component: ComponentIdentity): Promise<boolean> {
  const { connection, region, signal } = place;
  const { client } = connection;
  const jobs = await jobsOf(place, component);
  // Without a policy, the pods of a Job would stay.
  await Promise.all(jobs.map((job) => client.remove(job, signal, { propagationPolicy: 'Background' })));
  const query = { namespace: namespaceIn(region, component), labelSelector: selectorOf(component) };
  const { items } = await client.list('Pod', signal, query);
  return jobs.length === 0 && items.length === 0;
}
