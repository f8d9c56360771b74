import type { ComponentIdentity } from '../../desired.ts';
import type { RunOrder } from '../../runs.ts';
import { hasCode } from '../cluster/answers.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { type KubernetesObject, labels } from '../objects/objects.ts';
import { listOf } from '../write/own-objects.ts';
import type { ClusterScope } from '../write/scope.ts';
import { hasFinished } from './report.ts';

const selectorOf = ({ id }: Pick<ComponentIdentity, 'id'>) => `${labels.runOf}=${id}`;

/** The selector of the Job of a run, and of its pod. */
export const selectorOfRun = (component: Pick<ComponentIdentity, 'id'>, { id }: Pick<RunOrder, 'id'>) =>
  `${selectorOf(component)},${labels.run}=${id}`;

/** The objects of runs. There are no Jobs where the account of the region may not list them, because there are no runs either. */
const listRuns = (
  scope: ClusterScope,
  kind: 'Job' | 'Pod',
  component: ComponentIdentity,
  selector = selectorOf(component),
): Promise<KubernetesObject[]> =>
  listOf(scope, kind, component, selector).catch((error) => {
    if (kind === 'Job' && hasCode(error, 403)) return [];
    throw error;
  });

/** The objects that the runs of a component will read when their pods start, in the form of pods. */
export async function readersOfRuns(
  scope: ClusterScope,
  component: ComponentIdentity,
): Promise<KubernetesObject[]> {
  const jobs = await listRuns(scope, 'Job', component);
  return jobs.filter((job) => !hasFinished(job)).map(({ spec }) => ({ ...spec.template, metadata: {} }));
}

/** Whether a job has found runs of a component in its namespace, with their pods, when it has looked there first. */
async function hadRuns(scope: ClusterScope, component: ComponentIdentity): Promise<boolean> {
  const { connection, looks, region } = scope;
  // Others wait for the same list.
  const lasting = { ...scope, signal: connection.ended };
  const listed = (kind: 'Job' | 'Pod') =>
    looks.listed(`${kind} ${namespaceIn(region, component)}`, labels.runOf, () =>
      listRuns(lasting, kind, component, labels.runOf),
    );
  const [jobs, pods] = await Promise.all([listed('Job'), listed('Pod')]);
  return jobs.has(component.id) || pods.has(component.id);
}

/** Removes the runs of a component. Returns whether they are gone, with their pods. */
export async function removeRuns(scope: ClusterScope, component: ComponentIdentity): Promise<boolean> {
  if (!(await hadRuns(scope, component))) return true;
  const { client } = scope.connection;
  const jobs = await listRuns(scope, 'Job', component);
  // Without a policy, the pods of a Job would stay.
  await Promise.all(jobs.map((job) => client.remove(job, scope.signal, { propagationPolicy: 'Background' })));
  const pods = await listRuns(scope, 'Pod', component);
  return jobs.length === 0 && pods.length === 0;
}
