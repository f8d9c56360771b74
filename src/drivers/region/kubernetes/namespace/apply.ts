import type { DesiredComponent, NamespaceOwner } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import { namespaceIn, teamNamespace } from '../objects/namespaces.ts';
import {
  type KindName,
  type KubernetesObject,
  kinds,
  labels,
  namespaceLabels,
  ordered,
  withMetadata,
} from '../objects/objects.ts';
import { Applied } from '../objects/stored-object.ts';
import { applyComputed } from '../write/apply-object.ts';
import { requireOwner } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import { namespaceObjects } from './objects.ts';
import {
  isRestrictedNamespace,
  presentLevel,
  type SecurityLevel,
  securityLabels,
  securityLevelOf,
} from './security-level.ts';

/** A namespace, with a component in it that may not be deployed yet. */
type Of = NamespaceOwner & Partial<Pick<DesiredComponent, 'needsRoot'>>;

/** The namespaces that a component needs: its own, and that of its team for the gateway. */
export const namespacesFor = ({ region }: ClusterScope, component: Of): Of[] =>
  component.namespaceId === 0 || !region.cluster.gatewayClass
    ? [component]
    : [teamNamespace(component), component];

/** A namespace with its quota and its policy. */
export async function objectsOfNamespace(
  { region, source }: ClusterScope,
  owner: NamespaceOwner,
  level: SecurityLevel,
): Promise<KubernetesObject[]> {
  return namespaceObjects(region, owner, await source.quota(region.id, owner.teamId), level);
}

/** A namespace, if there is one: from the watch of namespaces, where the account of the region has that right. */
async function readNamespace(
  { connection, signal }: ClusterScope,
  name: string,
): Promise<KubernetesObject | undefined> {
  const { cache, capabilities, client } = connection;
  const isWatched =
    (await capabilities.hasNamespaces(signal)) && (await cache.hasAll(['Namespace'], 'team', signal));
  return (
    (isWatched ? cache.find('Namespace', undefined, name) : undefined) ??
    client.read('Namespace', undefined, name, signal)
  );
}

/** The objects of a namespace in the cluster beside components, as far as they are watched. */
const watchedOf = ({ connection: { cache } }: ClusterScope, objects: readonly KubernetesObject[]) =>
  objects.flatMap(
    ({ kind, metadata: { namespace, name } }) => cache.find(kind as KindName, namespace, name) ?? [],
  );

/** Whether nobody has changed what was applied of the namespaces of a component since. */
export const areNamespacesSame = (scope: ClusterScope, component: Of): boolean =>
  namespacesFor(scope, component).every((owner) => {
    const applied = scope.looks.namespaces.get(namespaceIn(scope.region, owner));
    return applied === undefined || applied.is.isSame(watchedOf(scope, applied.objects));
  });

/** Refuses a namespace that is not the owner's in this region, or that is about to go. */
async function requireUsable(
  { region, source }: ClusterScope,
  { metadata }: KubernetesObject,
  owner: NamespaceOwner,
): Promise<void> {
  for (const [label, value] of Object.entries(namespaceLabels(owner))) {
    if (label === labels.managedBy) continue;
    requireOwner({ apiVersion: 'v1', kind: 'Namespace', metadata }, label, value);
  }
  if (metadata.deletionTimestamp)
    throw new RegionWorkError('The namespace in the cluster is being deleted. The job continues after that.');
  // It can have the cluster under another address, where its prefix is not compared.
  const id = metadata.labels?.[labels.region];
  const other = id === undefined || id === region.id ? undefined : await source.region(id);
  if (other) {
    throw new RegionWorkError(`The namespace in the cluster belongs to the region ${other.name}.`, {
      isPermanent: true,
    });
  }
}

/** Refuses to make the namespace of an application anew that needs none any more: a job is late. */
async function requireUse({ source }: ClusterScope, { namespaceId }: NamespaceOwner): Promise<void> {
  if (namespaceId === 0 || (await source.isInUse(namespaceId))) return;
  throw new RegionWorkError('The application has no deployed components.', { isPermanent: true });
}

/** Whether the namespace of an application is being deleted, after its last component. It is made anew once it is gone. */
export async function isNamespaceEnding(scope: ClusterScope, owner: NamespaceOwner): Promise<boolean> {
  const name = namespaceIn(scope.region, owner);
  if (owner.namespaceId === 0 || scope.looks.namespaces.has(name)) return false;
  return (await readNamespace(scope, name))?.metadata.deletionTimestamp !== undefined;
}

/** Makes the namespaces that a component needs, each once for a job. The component can run there afterwards. */
export async function applyNamespaces(scope: ClusterScope, component: Of): Promise<void> {
  for (const owner of namespacesFor(scope, component)) await applyNamespace(scope, owner);
}

/** Makes a namespace with its quota and its policy. */
async function applyNamespace(scope: ClusterScope, owner: Of): Promise<void> {
  const { connection, looks, region, signal } = scope;
  const namespace = namespaceIn(region, owner);
  const levelNeeded = () => securityLevelOf(scope, owner);
  const objects = await objectsOfNamespace(scope, owner, await levelNeeded());
  const text = ordered(objects);
  if (looks.namespaces.get(namespace)?.text === text) return;
  const [first] = objects as [KubernetesObject];
  const { cache, client } = connection;
  const isWatched = await cache.hasAll(['NetworkPolicy', 'ResourceQuota'], 'team', signal);
  let level = 'baseline' as SecurityLevel;
  const before = await readNamespace(scope, namespace);
  const applied = await applyComputed(scope, first, labels.team, before, async (current) => {
    if (current) await requireUsable(scope, current, owner);
    else await requireUse(scope, owner);
    level = await presentLevel(scope, await levelNeeded(), current);
    return atLevel(first, level);
  });
  await requireUsable(scope, applied!, owner);
  for (const kind of ['ResourceQuota', 'NetworkPolicy', 'ReferenceGrant'] satisfies KindName[]) {
    const identity = {
      apiVersion: kinds[kind].apiVersion,
      kind,
      metadata: { name: 'trellis', namespace, labels: namespaceLabels(owner) },
    };
    const isNeeded = kind === 'ResourceQuota' && !isWatched;
    const current = isNeeded
      ? await client.read(kind, namespace, 'trellis', signal)
      : cache.find(kind, namespace, 'trellis');
    const ownCurrent = current?.metadata.labels?.[labels.team] === owner.teamId ? current : undefined;
    await applyComputed(scope, identity, labels.team, ownCurrent, async () =>
      (await objectsOfNamespace(scope, owner, level)).find((object) => object.kind === kind),
    );
  }
  looks.namespaces.set(namespace, { text, objects, is: new Applied(watchedOf(scope, objects)) });
  if (level === 'restricted') looks.restricted.add(namespace);
  else looks.restricted.delete(namespace);
}

const atLevel = (namespace: KubernetesObject, level: SecurityLevel): KubernetesObject =>
  withMetadata(namespace, { labels: { ...namespace.metadata.labels, ...securityLabels(level) } });

/** Restricts a namespace once nothing in it needs root any more. Does nothing if it is restricted. */
export async function restrictNamespace(
  scope: ClusterScope,
  { teamId, namespaceId }: NamespaceOwner,
): Promise<void> {
  const { looks, region } = scope;
  const owner = { teamId, namespaceId };
  const name = namespaceIn(region, owner);
  if (looks.restricted.has(name) || (await securityLevelOf(scope, owner)) !== 'restricted') return;
  const before = await readNamespace(scope, name);
  if (!before || before.metadata.deletionTimestamp || before.metadata.labels?.[labels.team] !== teamId)
    return;
  let level = await presentLevel(scope, 'restricted', before);
  if (level === 'restricted' && !isRestrictedNamespace(before)) {
    const [namespace] = (await objectsOfNamespace(scope, owner, level)) as [KubernetesObject];
    await applyComputed(scope, namespace, labels.team, before, async (current) => {
      if (!current) return undefined;
      level = await presentLevel(scope, await securityLevelOf(scope, owner), current);
      return atLevel(namespace, level);
    });
  }
  if (level === 'restricted') looks.restricted.add(name);
}
