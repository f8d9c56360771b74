import type { ComponentIdentity, DesiredComponent } from '../desired.ts';
import { RegionWorkError } from '../driver.ts';
import { applyObject, namespaceIn, type Place, requireOwn } from './apply-object.ts';
import { teamObjects } from './mapping.ts';
import { type KubernetesObject, labels, namespaceOf, teamLabels } from './objects.ts';
import {
  isRestrictedNamespace,
  presentLevel,
  type SecurityLevel,
  securityLabels,
  securityLevelOf,
} from './pod-security.ts';
import { gatewayOf } from './routes.ts';

type Of = Pick<DesiredComponent, 'teamId' | 'needsRoot'>;

/** The namespace of a team with its quota and its policy. */
export async function objectsOfTeam(
  { region, source }: Place,
  teamId: string,
  level: SecurityLevel,
): Promise<KubernetesObject[]> {
  const namespace = namespaceOf(region.cluster.namespacePrefix, teamId);
  const quota = await source.quota(region.id, teamId);
  return teamObjects(namespace, { teamId, regionId: region.id }, quota, level).map((object) =>
    object.kind === 'Namespace' ? object : { ...object, metadata: { ...object.metadata, namespace } },
  );
}

/** Makes the namespace of the team of a component with its quota and its policy. The component can run there afterwards. */
export async function applyTeam(place: Place, component: Of): Promise<void> {
  const { connection, region, signal, source } = place;
  const { teamId } = component;
  const wanted = await securityLevelOf(place, teamId, component);
  const [first, ...others] = (await objectsOfTeam(place, teamId, wanted)) as [
    KubernetesObject,
    ...KubernetesObject[],
  ];
  const namespace = first.metadata.name;
  const found = await requireOwn(connection.client, first, labels.team, signal);
  if (found?.metadata.deletionTimestamp) {
    throw new RegionWorkError(`The namespace ${namespace} is being deleted.`);
  }
  // It can have the cluster under another address, where its prefix is not compared.
  const other = found?.metadata.labels?.[labels.region];
  const owner = other === undefined || other === region.id ? undefined : await source.region(other);
  if (owner) {
    throw new RegionWorkError(`The namespace ${namespace} belongs to the region ${owner.name}.`, {
      isPermanent: true,
    });
  }
  await applyObject(place, atLevel(first, await presentLevel(place, wanted, found)));
  for (const object of others) {
    await requireOwn(connection.client, object, labels.team, signal);
    await applyObject(place, object);
  }
  if (!others.some(({ kind }) => kind === 'ResourceQuota')) {
    const old = await connection.client.read('ResourceQuota', namespace, 'trellis', signal);
    if (old?.metadata.labels?.[labels.team] === teamId) await connection.client.remove(old, signal);
  }
}

const atLevel = (namespace: KubernetesObject, level: SecurityLevel): KubernetesObject => ({
  ...namespace,
  metadata: { ...namespace.metadata, labels: { ...namespace.metadata.labels, ...securityLabels(level) } },
});

/** Restricts the namespace of a team once nothing in it needs root any more. Does nothing if it is restricted. */
export async function restrictTeam(place: Place, { teamId }: Pick<Of, 'teamId'>): Promise<void> {
  const { connection, region, signal } = place;
  if ((await securityLevelOf(place, teamId)) !== 'restricted') return;
  const name = namespaceOf(region.cluster.namespacePrefix, teamId);
  const found = await connection.client.read('Namespace', undefined, name, signal);
  if (!found || found.metadata.deletionTimestamp || found.metadata.labels?.[labels.team] !== teamId) return;
  if (isRestrictedNamespace(found) || (await presentLevel(place, 'restricted', found)) !== 'restricted')
    return;
  const [namespace] = await objectsOfTeam(place, teamId, 'restricted');
  await applyObject(place, namespace!);
}

/** Gives the team's gateway the listeners of a component, and takes those that it no longer has. */
export async function applyGateway(
  place: Place,
  component: ComponentIdentity,
  listeners: object[],
): Promise<void> {
  const { region, connection, signal } = place;
  if (!region.cluster.gatewayClass) return;
  const { object, owner } = gatewayFor(place, component, listeners);
  const found = await requireOwn(connection.client, object, labels.team, signal);
  const hasListeners = found?.metadata.managedFields?.some(({ manager }) => manager === owner) ?? false;
  if (listeners.length === 0 && !hasListeners && found) return;
  await applyObject(place, object, { owner });
}

/** The team's gateway, as a component applies it. */
export const gatewayFor = ({ region }: Place, component: ComponentIdentity, listeners: object[]) => {
  const gateway = gatewayOf(region.cluster.gatewayClass!, teamLabels(component.teamId), listeners);
  const namespace = namespaceIn(region, component);
  return {
    object: { ...gateway, metadata: { ...gateway.metadata, namespace } },
    owner: `trellis-${component.id}`,
  };
};
