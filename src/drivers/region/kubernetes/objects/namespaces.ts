import type { ClusterSettings } from '../../clusters.ts';
import type { NamespaceOwner } from '../../desired.ts';
import { shortHash, slug } from '../../object-names.ts';
import { type KubernetesObject, labels } from './objects.ts';

interface Region {
  id: string;
  cluster: Pick<ClusterSettings, 'namespacePrefix'>;
}

/**
 * The name of a namespace. That of an application is a hash with the id of the region: the number of an application alone can be
 * that of another one in another installation, which can have the same cluster.
 */
export const namespaceIn = (
  { id, cluster: { namespacePrefix } }: Region,
  { teamId, namespaceId }: NamespaceOwner,
): string =>
  slug(`${namespacePrefix}${namespaceId === 0 ? teamId : `app-${shortHash(`${id}/${namespaceId}`, 20)}`}`);

/** The namespace of a team, which has its gateway. */
export const teamNamespace = ({ teamId }: Pick<NamespaceOwner, 'teamId'>): NamespaceOwner => ({
  teamId,
  namespaceId: 0,
});

/** Whether an object is in a namespace of a region. Other regions can have namespaces in the same cluster. */
export const isOfRegion =
  (region: Region) =>
  ({ metadata: { name, namespace = name, labels: has = {} } }: KubernetesObject): boolean => {
    const teamId = has[labels.team];
    if (teamId === undefined) return false;
    // A claim that components share has its application in the namespace of a team, too.
    const possible = [0, Number(has[labels.application] ?? 0)];
    return possible.some((namespaceId) => namespace === namespaceIn(region, { teamId, namespaceId }));
  };
