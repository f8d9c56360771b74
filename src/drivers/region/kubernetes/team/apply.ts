import type { DesiredComponent } from '../../desired.ts';
import { RegionWorkError } from '../../driver.ts';
import {
  type KindName,
  type KubernetesObject,
  labels,
  namespaceOf,
  ordered,
  teamLabels,
  withMetadata,
} from '../objects/objects.ts';
import { Applied } from '../objects/stored-object.ts';
import { applyComputed } from '../write/apply-object.ts';
import { requireOwner } from '../write/owner.ts';
import type { ClusterScope } from '../write/scope.ts';
import { teamObjects } from './objects.ts';
import {
  isRestrictedNamespace,
  presentLevel,
  type SecurityLevel,
  securityLabels,
  securityLevelOf,
} from './security-level.ts';

type Of = Pick<DesiredComponent, 'teamId' | 'needsRoot'>;

/** The namespace of a team with its quota and its policy. */
export async function objectsOfTeam(
  { region, source }: ClusterScope,
  teamId: string,
  level: SecurityLevel,
): Promise<KubernetesObject[]> {
  const namespace = namespaceOf(region.cluster.namespacePrefix, teamId);
  const quota = await source.quota(region.id, teamId);
  return teamObjects(namespace, { teamId, regionId: region.id }, quota, level).map((object) =>
    object.kind === 'Namespace' ? object : withMetadata(object, { namespace }),
  );
}

/** The namespace of a team, if there is one: from the watch of namespaces, where the account of the region has that right. */
async function readTeamNamespace(
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

/** The objects of a team in the cluster beside its components, as far as they are watched. */
const watchedOf = ({ connection: { cache } }: ClusterScope, objects: readonly KubernetesObject[]) =>
  objects.flatMap(
    ({ kind, metadata: { namespace, name } }) => cache.find(kind as KindName, namespace, name) ?? [],
  );

/** Whether nobody has changed what was applied of a team since. */
export const isTeamSame = (scope: ClusterScope, { teamId }: Of): boolean => {
  const applied = scope.looks.teamObjects.get(teamId);
  return applied === undefined || applied.is.isSame(watchedOf(scope, applied.objects));
};

/** Refuses a namespace that is not the team's in this region, or that is about to go. */
async function requireUsable(
  { region, source }: ClusterScope,
  { metadata }: KubernetesObject,
  teamId: string,
): Promise<void> {
  const { name } = metadata;
  requireOwner({ apiVersion: 'v1', kind: 'Namespace', metadata }, labels.team, teamId);
  if (metadata.deletionTimestamp) throw new RegionWorkError(`The namespace ${name} is being deleted.`);
  // It can have the cluster under another address, where its prefix is not compared.
  const other = metadata.labels?.[labels.region];
  const owner = other === undefined || other === region.id ? undefined : await source.region(other);
  if (owner) {
    throw new RegionWorkError(`The namespace ${name} belongs to the region ${owner.name}.`, {
      isPermanent: true,
    });
  }
}

/**
 * Makes the namespace of the team of a component with its quota and its policy, once for each job. The component can run there
 * afterwards.
 */
export async function applyTeam(scope: ClusterScope, component: Of): Promise<void> {
  const { connection, looks, signal } = scope;
  const { teamId } = component;
  const levelNeeded = () => securityLevelOf(scope, teamId, component);
  const objects = await objectsOfTeam(scope, teamId, await levelNeeded());
  const text = ordered(objects);
  if (looks.teams.get(teamId) === text) return;
  const [first] = objects as [KubernetesObject];
  const namespace = first.metadata.name;
  const { cache, client } = connection;
  const isWatched = await cache.hasAll(['NetworkPolicy', 'ResourceQuota'], 'team', signal);
  let level = 'baseline' as SecurityLevel;
  const before = await readTeamNamespace(scope, namespace);
  const applied = await applyComputed(scope, first, labels.team, before, async (current) => {
    if (current) await requireUsable(scope, current, teamId);
    level = await presentLevel(scope, await levelNeeded(), current);
    return atLevel(first, level);
  });
  await requireUsable(scope, applied!, teamId);
  for (const kind of ['ResourceQuota', 'NetworkPolicy'] satisfies KindName[]) {
    const identity = {
      apiVersion: 'v1',
      kind,
      metadata: { name: 'trellis', namespace, labels: teamLabels(teamId) },
    };
    const isNeeded = kind === 'ResourceQuota' && !isWatched;
    const current = isNeeded
      ? await client.read(kind, namespace, 'trellis', signal)
      : cache.find(kind, namespace, 'trellis');
    const ownCurrent = current?.metadata.labels?.[labels.team] === teamId ? current : undefined;
    await applyComputed(scope, identity, labels.team, ownCurrent, async () =>
      (await objectsOfTeam(scope, teamId, level)).find((object) => object.kind === kind),
    );
  }
  looks.teams.set(teamId, text);
  looks.teamObjects.set(teamId, { objects, is: new Applied(watchedOf(scope, objects)) });
  if (level === 'restricted') looks.restricted.add(teamId);
  else looks.restricted.delete(teamId);
}

const atLevel = (namespace: KubernetesObject, level: SecurityLevel): KubernetesObject =>
  withMetadata(namespace, { labels: { ...namespace.metadata.labels, ...securityLabels(level) } });

/** Restricts the namespace of a team once nothing in it needs root any more. Does nothing if it is restricted. */
export async function restrictTeam(scope: ClusterScope, { teamId }: Pick<Of, 'teamId'>): Promise<void> {
  const { looks, region } = scope;
  if (looks.restricted.has(teamId) || (await securityLevelOf(scope, teamId)) !== 'restricted') return;
  const name = namespaceOf(region.cluster.namespacePrefix, teamId);
  const before = await readTeamNamespace(scope, name);
  if (!before || before.metadata.deletionTimestamp || before.metadata.labels?.[labels.team] !== teamId)
    return;
  let level = await presentLevel(scope, 'restricted', before);
  if (level === 'restricted' && !isRestrictedNamespace(before)) {
    const [namespace] = (await objectsOfTeam(scope, teamId, level)) as [KubernetesObject];
    await applyComputed(scope, namespace, labels.team, before, async (current) => {
      if (!current) return undefined;
      level = await presentLevel(scope, await securityLevelOf(scope, teamId), current);
      return atLevel(namespace, level);
    });
  }
  if (level === 'restricted') looks.restricted.add(teamId);
}
