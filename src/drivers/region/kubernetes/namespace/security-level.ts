import type { NamespaceOwner } from '../../desired.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import type { ClusterScope } from '../write/scope.ts';

/** The levels of the Pod Security Standards that namespaces enforce. */
export type SecurityLevel = 'baseline' | 'restricted';

const enforced = 'pod-security.kubernetes.io/enforce';

/** Refuses pods that can take over their node and, at `restricted`, those that have more rights than programs need. */
export const securityLabels = (level: SecurityLevel) => ({
  [enforced]: level,
  'pod-security.kubernetes.io/warn': 'restricted',
});

export const isRestrictedNamespace = ({ metadata }: KubernetesObject): boolean =>
  metadata.labels?.[enforced] === 'restricted';

const isRestricted = (pod: KubernetesObject['spec']): boolean => pod.securityContext?.runAsNonRoot === true;

/**
 * Whether a namespace has instances of components that are not restricted, or workloads that can create them: those of before a
 * change, which nothing has replaced yet.
 */
async function hasRoot({ connection, signal }: ClusterScope, namespace: string): Promise<boolean> {
  await connection.instances.ready(signal);
  const isThere = ({ metadata }: KubernetesObject) =>
    metadata.namespace === namespace && !metadata.deletionTimestamp;
  return (
    connection.instances.workloads.some((each) => isThere(each) && !isRestricted(each.spec.template.spec)) ||
    [...connection.instances.pods].some((each) => isThere(each) && !isRestricted(each.spec))
  );
}

/** The level that a namespace should have: `baseline` while a component in it needs root. */
export async function securityLevelOf(
  { region, source }: ClusterScope,
  owner: NamespaceOwner & { needsRoot?: boolean },
): Promise<SecurityLevel> {
  const needsRoot = owner.needsRoot || (await source.needsRoot(region.id, owner));
  return needsRoot ? 'baseline' : 'restricted';
}

/** The level that a namespace can have now. One that is there is restricted after the last instance that would be refused. */
export async function presentLevel(
  scope: ClusterScope,
  level: SecurityLevel,
  namespace: KubernetesObject | undefined,
): Promise<SecurityLevel> {
  if (level === 'baseline' || !namespace || isRestrictedNamespace(namespace)) return level;
  return (await hasRoot(scope, namespace.metadata.name)) ? 'baseline' : 'restricted';
}
