import type { ComponentIdentity } from '../../desired.ts';
import { gatewayName } from '../../object-names.ts';
import { isStale } from '../cluster/errors.ts';
import { namespaceIn, teamNamespace } from '../objects/namespaces.ts';
import { type KubernetesObject, labels, teamLabels, withMetadata } from '../objects/objects.ts';
import { applyObject } from '../write/apply-object.ts';
import { requireOwn, requireOwner } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';

/** The team's gateway, with the listeners of one component. Each component owns its own. */
export const gatewayOf = (gatewayClass: string, teamLabels: Record<string, string>, listeners: object[]) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: gatewayName, labels: teamLabels },
  spec: {
    gatewayClassName: gatewayClass,
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }, ...listeners],
  },
});

/** The team's gateway, if there is one, with its field managers. */
async function readGateway(
  { connection, signal }: ClusterScope,
  gateway: KubernetesObject,
): Promise<KubernetesObject | undefined> {
  const isWatched = await connection.cache.hasAll(['Gateway'], 'team', signal);
  const { namespace, name } = gateway.metadata;
  return (
    (isWatched ? connection.cache.find('Gateway', namespace, name) : undefined) ??
    requireOwn(connection.client, gateway, labels.team, signal)
  );
}

/** Whether a component has a part in the team's gateway. */
export const hasManager = ({ metadata: { managedFields } }: KubernetesObject, owner: string): boolean =>
  managedFields?.some(({ manager }) => manager === owner) ?? false;

/** Gives the team's gateway the listeners of a component, and takes those that it no longer has. */
export async function applyGateway(
  scope: ClusterScope,
  component: ComponentIdentity,
  listeners: object[],
): Promise<void> {
  if (!scope.region.cluster.gatewayClass) return;
  const { object, owner } = gatewayFor(scope, component, listeners);
  const gateway = await readGateway(scope, object);
  if (gateway) requireOwner(gateway, labels.team, component.teamId);
  if (listeners.length === 0 && gateway && !hasManager(gateway, owner)) return;
  await applyGatewayOver(scope, object, owner, gateway);
}

/** Applies the part of a component in the gateway, which the parts of others change as well. */
async function applyGatewayOver(
  scope: ClusterScope,
  object: KubernetesObject,
  owner: string,
  before: KubernetesObject | undefined,
): Promise<void> {
  for (let current = before; ; ) {
    try {
      await applyObject(scope, object, { owner, current: current ?? null });
      return;
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!isStale(error)) throw error;
    }
    current = await requireOwn(scope.connection.client, object, labels.team, scope.signal);
  }
}

/** Takes the listeners of a component from the team's gateway, if it is there. */
export async function leaveGateway(scope: ClusterScope, component: ComponentIdentity): Promise<void> {
  const { connection, region, signal } = scope;
  if (!region.cluster.gatewayClass) return;
  const { object, owner } = gatewayFor(scope, component, []);
  const { namespace, name } = object.metadata;
  const gateway = (await connection.cache.hasAll(['Gateway'], 'team', signal))
    ? connection.cache.find('Gateway', namespace, name)
    : await connection.client.read('Gateway', namespace, name, signal);
  if (gateway && hasManager(gateway, owner)) await applyGatewayOver(scope, object, owner, gateway);
}

/** The team's gateway, as a component applies it. */
export const gatewayFor = ({ region }: ClusterScope, component: ComponentIdentity, listeners: object[]) => {
  const gateway = gatewayOf(region.cluster.gatewayClass!, teamLabels(component.teamId), listeners);
  const namespace = namespaceIn(region, teamNamespace(component));
  return {
    object: withMetadata(gateway, { namespace }),
    owner: `trellis-${component.id}`,
  };
};
