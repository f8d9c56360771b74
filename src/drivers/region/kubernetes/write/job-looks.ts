import { groupBy } from '../../../../kernel/group.ts';
import type { KubernetesObject } from '../objects/objects.ts';
import type { Applied } from '../objects/stored-object.ts';

/** The names, the identity and the labels of an object. */
const namesOf = ({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject => {
  const { name, namespace, uid, labels = {}, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      labels,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
    },
  };
};

/** The objects of namespaces, read once for each job, whatever the number of its components. */
export class JobLooks {
  /** The objects of each namespace, and how they were when they had been applied. */
  readonly namespaces = new Map<
    string,
    { text: string; objects: readonly KubernetesObject[]; is: Applied }
  >();
  /** The namespaces that are restricted. */
  readonly restricted = new Set<string>();
  readonly #lists = new Map<string, Promise<Map<string, KubernetesObject[]>>>();

  /** The names of the objects of a namespace, by the value of a label. Listed for the first caller. */
  async listed(
    key: string,
    label: string,
    list: () => Promise<readonly KubernetesObject[]>,
  ): Promise<ReadonlyMap<string, readonly KubernetesObject[]>> {
    const earlier = this.#lists.get(key);
    if (earlier) return earlier;
    const listing = list().then((items) =>
      groupBy(items.map(namesOf), ({ metadata }) => metadata.labels?.[label] ?? ''),
    );
    this.#lists.set(key, listing);
    listing.catch(() => this.#lists.delete(key));
    return listing;
  }

  /** Has everything looked at again, after something was not as it was thought to be. */
  forget(): void {
    this.namespaces.clear();
    this.restricted.clear();
    this.#lists.clear();
  }
}
