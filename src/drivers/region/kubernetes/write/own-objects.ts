import type { ComponentIdentity, NamespaceOwner } from '../../desired.ts';
import { namespaceIn } from '../objects/namespaces.ts';
import { componentSelector, type KindName, type KubernetesObject } from '../objects/objects.ts';
import { isMetadataOnly } from '../objects/stored-object.ts';
import type { ClusterScope } from './scope.ts';

/** The kinds that are removed when a component no longer has them. Claims stay: they have data. */
const prunedKinds: readonly KindName[] = [
  'Deployment',
  'StatefulSet',
  'Service',
  'ConfigMap',
  'Secret',
  'Ingress',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'TCPRoute',
  'Certificate',
];

/** With TCPRoutes, a component has a gateway of its own. */
export const withOwnGateway = (kinds: KindName[]): KindName[] =>
  kinds.includes('TCPRoute') ? [...kinds, 'Gateway'] : kinds;

/** HTTPRoutes are not among them, because components can share them: see `applyRoutes`. */
export const prunedIn = async ({ connection, region, signal }: ClusterScope): Promise<KindName[]> =>
  withOwnGateway(await connection.capabilities.among(prunedKinds, region, signal));

/** The objects of one kind that a selector finds in the namespace of a component. */
export async function listOf(
  { connection, region, signal }: ClusterScope,
  kind: KindName,
  component: Pick<ComponentIdentity, 'id' | keyof NamespaceOwner>,
  labelSelector = componentSelector(component),
): Promise<KubernetesObject[]> {
  const query = { namespace: namespaceIn(region, component), labelSelector };
  return (await connection.client.list(kind, signal, query)).items;
}

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
  const query = { namespace, labelSelector: componentSelector(component) };
  const lists = await Promise.all(
    kinds.map((kind) =>
      isMetadataOnly(kind) ? client.listMetadata(kind, signal, query) : client.list(kind, signal, query),
    ),
  );
  return lists.flatMap(({ items }) => items);
}
