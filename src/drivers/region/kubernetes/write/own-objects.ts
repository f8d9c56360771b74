import type { ComponentIdentity } from '../../desired.ts';
import { workError } from '../cluster/errors.ts';
import { type KindName, type KubernetesObject, labels } from '../objects/objects.ts';
import { isMetadataOnly } from '../objects/stored-object.ts';
import { type ClusterScope, namespaceIn } from './scope.ts';

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
