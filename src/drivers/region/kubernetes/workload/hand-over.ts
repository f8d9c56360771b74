import type { DesiredComponent } from '../../desired.ts';
import { isConflict, workError } from '../cluster/errors.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { autoscalingManager, fieldManager, type KubernetesObject, labels } from '../objects/objects.ts';
import { applyObject } from '../write/apply-object.ts';
import { preconditionOf, requireLatestOf } from '../write/fence.ts';
import { requireOwner } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import { firstReplicasOf } from './autoscaling.ts';

/** Whether the driver has applied the number of instances, which would become 1 with an apply that leaves it out. */
const ownsReplicas = ({ metadata: { managedFields = [] } }: KubernetesObject) =>
  managedFields.some(
    ({ manager, operation, fieldsV1 }) =>
      manager === fieldManager && operation === 'Apply' && fieldsV1?.['f:spec']?.['f:replicas'] !== undefined,
  );

/**
 * Transfers ownership of `spec.replicas` before the driver applies a Deployment without it. A second field manager applies the
 * current value, so that it stays until the autoscaler changes it. A Deployment that does not exist is created first, because one
 * without `replicas` starts with 1 instance.
 */
export async function handOverReplicas(
  scope: ClusterScope,
  component: DesiredComponent,
  deployment: KubernetesObject,
): Promise<void> {
  const { connection, region, signal } = scope;
  const { client } = connection;
  const { apiVersion, kind } = deployment;
  const { name } = deployment.metadata;
  const namespace = namespaceIn(region, component);
  const first = firstReplicasOf(component);
  const before = await client.read('Deployment', namespace, name, signal);
  if (before) {
    requireOwner(before, labels.component, component.id);
    requireLatestOf(scope, before);
  }
  const current =
    before ??
    (await applyObject(
      scope,
      { ...deployment, spec: { ...deployment.spec, replicas: first } },
      { current: null },
    ));
  // An autoscaler leaves a component alone that has no instances.
  const isStopped = current.spec.replicas === 0;
  if (!isStopped && !ownsReplicas(current)) return;
  const replicas = isStopped ? first : current.spec.replicas;
  const metadata = { name, namespace, ...preconditionOf(current) };
  const owned = { apiVersion, kind, metadata, spec: { replicas } };
  const options = { owner: autoscalingManager, isForced: isStopped };
  await client.apply(owned, signal, options).catch((error) => {
    // Another number means that it has another owner by now.
    if (!isConflict(error)) throw workError(error, deployment);
  });
}
