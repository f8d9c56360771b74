import type { ComponentIdentity, DesiredComponent } from '../../desired.ts';
import { claimNameOf } from '../../object-names.ts';
import { workError } from '../cluster/errors.ts';
import { type KindName, type KubernetesObject, labels } from '../objects/objects.ts';
import { isMetadataOnly } from '../objects/stored-object.ts';
import { claimsNamed, isData } from '../workload/workload.ts';
import { type ClusterScope, namespaceIn, requireOwner } from './apply-object.ts';

/** The kinds that are removed when a component no longer has them. Claims stay: they have data. */
const prunedKinds: readonly KindName[] = [
  'Deployment',
  'StatefulSet',
  'Service',
  'ConfigMap',
  'Secret',
  'Ingress',
];

/** HTTPRoutes are not among them, because components can share them: see `applyRoutes`. */
export const prunedIn = async ({ region, connection, signal }: ClusterScope): Promise<KindName[]> => [
  ...prunedKinds,
  ...((await connection.capabilities.hasAutoscalers(signal)) ? (['HorizontalPodAutoscaler'] as const) : []),
  ...((await connection.capabilities.hasBudgets(signal)) ? (['PodDisruptionBudget'] as const) : []),
  ...((await connection.capabilities.hasTcpRoutes(region, signal)) ? (['TCPRoute', 'Gateway'] as const) : []),
  ...((await connection.capabilities.hasCertificates(region, signal)) ? (['Certificate'] as const) : []),
];

export const selectorOf = ({ id }: Pick<ComponentIdentity, 'id'>) => `${labels.component}=${id}`;

/** The objects of a component in its namespace, of these kinds: those that are known from watches, as far as these work. */
export async function ownObjects(
  { region, connection, signal }: ClusterScope,
  component: ComponentIdentity,
  kinds: readonly KindName[],
): Promise<KubernetesObject[]> {
  const { cache, client } = connection;
  const namespace = namespaceIn(region, component);
  if (await cache.hasAll(kinds, 'component', signal)) {
    return cache
      .ofComponent(component.id)
      .filter(({ kind, metadata }) => kinds.includes(kind as KindName) && metadata.namespace === namespace);
  }
  const query = { namespace, labelSelector: selectorOf(component) };
  const lists = await Promise.all(
    kinds.map((kind) => {
      const list = isMetadataOnly(kind)
        ? client.listMetadata(kind, signal, query)
        : client.list(kind, signal, query);
      return list.catch((error) => {
        throw workError(error);
      });
    }),
  );
  return lists.flatMap(({ items }) => items);
}

/** The most claims that are read by their names, rather than listed. */
const maxNamed = 10;

/** Refuses claims of others, which the controller of a StatefulSet would give to the instances by their names. */
export async function requireOwnClaims(place: ClusterScope, component: DesiredComponent): Promise<void> {
  const { region, connection, signal } = place;
  const data = component.volumes.filter(isData);
  if (component.extendMethod !== 'state' || data.length === 0) return;
  const namespace = namespaceIn(region, component);
  const { cache, client } = connection;
  const kind = 'PersistentVolumeClaim';
  const isKnown = (name: string) =>
    cache.find(kind, namespace, name)?.metadata.labels?.[labels.component] === component.id;
  const ordinals = Array.from({ length: component.replicas }, (_, ordinal) => String(ordinal));
  const names = data
    .flatMap((volume) => ordinals.map((ordinal) => claimNameOf(component, volume).replace(/#$/, ordinal)))
    .filter((name) => !isKnown(name));
  if (names.length <= maxNamed) {
    for (const name of names) {
      const claim = await client.read(kind, namespace, name, signal);
      if (claim) requireOwner({ ...claim, kind }, labels.component, component.id);
    }
    return;
  }
  const isOf = data.map(({ name }) => claimsNamed(component, name));
  const { items } = await client.list(kind, signal, { namespace });
  for (const claim of items) {
    if (isOf.some((has) => has(claim.metadata.name))) requireOwner(claim, labels.component, component.id);
  }
}
