import { templateOf } from '../../../../convert/kubernetes/claim.ts';
import type { FoundNamespace, OmittedPart } from '../../../../convert/kubernetes/model.ts';
import { foundIn, importedKinds, isWorkload } from '../../../../convert/kubernetes/namespace.ts';
import { maxFoundComponents, type NamespaceAccess } from '../../namespace.ts';
import { hasCode } from '../cluster/answers.ts';
import type { Client } from '../cluster/client.ts';
import { isManaged, type KindName, type KubernetesObject } from '../objects/objects.ts';
import type { InCluster } from '../write/scopes.ts';

type Part = KubernetesObject['spec'];

/** The most objects of a kind that are read. */
const maxObjects = 500;

/** The objects that the container of a workload refers to, as `Kind name`. */
function referencesIn(workload: KubernetesObject): string[] {
  const pod = templateOf(workload).spec;
  const { env = [], envFrom = [] } = pod.containers[0];
  const names = (kind: string, refs: Part[]) =>
    refs.flatMap((ref) => (ref?.name ? `${kind} ${ref.name}` : []));
  const keys = (field: string) => env.map((each: Part) => each.valueFrom?.[field]);
  const volumes = pod.volumes ?? [];
  return [
    ...names('ConfigMap', [...envFrom.map((each: Part) => each.configMapRef), ...keys('configMapKeyRef')]),
    ...names('Secret', [...envFrom.map((each: Part) => each.secretRef), ...keys('secretKeyRef')]),
    ...names(
      'ConfigMap',
      volumes.map((each: Part) => each.configMap),
    ),
    ...volumes.flatMap(({ persistentVolumeClaim: claim }: Part) =>
      claim ? `PersistentVolumeClaim ${claim.claimName}` : [],
    ),
  ];
}

async function readNamespace(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<FoundNamespace | undefined> {
  if (!(await client.read('Namespace', undefined, namespace, signal))) return undefined;
  const omitted: OmittedPart[] = [];
  const tell = (part: OmittedPart) => {
    omitted.push(part);
  };
  /** Tells of what the account of the region may not read. Accounts of earlier versions have fewer rights. */
  async function allowed<T>(part: OmittedPart, work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (!hasCode(error, 403)) throw error;
      tell({ ...part, grade: 'LOST' });
      return undefined;
    }
  }
  async function list(kind: KindName): Promise<KubernetesObject[]> {
    try {
      const { items, metadata } = await client.list(kind, signal, { namespace, limit: maxObjects });
      if (metadata.continue) tell({ kind, name: '*', what: `all but the first ${maxObjects}` });
      return items;
    } catch (error) {
      // Clusters without Gateway API.
      if (hasCode(error, 404)) return [];
      throw error;
    }
  }
  const lists = importedKinds.map((kind) => {
    // Without them, there is nothing to import.
    if (kind === 'Deployment' || kind === 'StatefulSet') return list(kind);
    const what = `each ${kind}, because the account of the region cannot list them`;
    return allowed({ kind, name: '*', what }, list(kind));
  });
  // Jobs of a CronJob are its runs.
  const all = (await Promise.all(lists)).flatMap((found) => found ?? []).filter((object) => !isOwned(object));
  for (const { kind, metadata } of all.filter((object) => isWorkload(object) && isManaged(object))) {
    tell({ kind, name: metadata.name, what: 'the workload, because it is a component already' });
  }
  const foreign = all.filter((object) => !isManaged(object));
  const workloads = foreign.filter(isWorkload);
  for (const { kind, metadata } of workloads.slice(maxFoundComponents)) {
    tell({
      kind,
      name: metadata.name,
      what: `the workload, because ${maxFoundComponents} are imported at most`,
    });
  }
  const taken = workloads.slice(0, maxFoundComponents);
  const objects = new Map<string, KubernetesObject | undefined>();
  await Promise.all(
    [...new Set(taken.flatMap(referencesIn))].map(async (reference) => {
      const [kind, name] = reference.split(' ') as [KindName, string];
      const what = `the ${kind}, because the account of the region cannot read it`;
      objects.set(reference, await allowed({ kind, name, what }, client.read(kind, namespace, name, signal)));
    }),
  );
  const found = foundIn([...taken, ...foreign.filter((object) => !isWorkload(object))], (kind, name) =>
    objects.get(`${kind} ${name}`),
  );
  return { components: found.components, omitted: [...omitted, ...found.omitted] };
}

const isOwned = ({ metadata: { ownerReferences = [] } }: KubernetesObject) => ownerReferences.length > 0;

export const namespaceAccess = (inCluster: InCluster): NamespaceAccess => ({
  read: (regionId, namespace, signal) =>
    inCluster(regionId, signal, ({ connection }) => readNamespace(connection.client, namespace, signal)),
});
