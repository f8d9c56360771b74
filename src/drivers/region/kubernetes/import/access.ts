import type { FoundNamespace, OmittedPart } from '../../../../convert/kubernetes/model.ts';
import { foundIn } from '../../../../convert/kubernetes/namespace.ts';
import { textsOf } from '../../../../convert/kubernetes/texts.ts';
import { maxFoundComponents, type NamespaceAccess } from '../../namespace.ts';
import { ClusterError } from '../cluster/answers.ts';
import type { Client } from '../cluster/client.ts';
import { isManaged, type KindName, type KubernetesObject } from '../objects/objects.ts';
import type { InCluster } from '../write/scopes.ts';

type Part = KubernetesObject['spec'];

/** The most objects of a kind that are read. */
const maxObjects = 500;

/** The objects that the container of a workload refers to, as `Kind name`. */
function referencesIn({ spec }: KubernetesObject): string[] {
  const pod = spec.template.spec;
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
  async function list(kind: KindName): Promise<KubernetesObject[]> {
    try {
      const { items, metadata } = await client.list(kind, signal, { namespace, limit: maxObjects });
      if (metadata.continue) tell({ kind, name: '*', what: `all but the first ${maxObjects}` });
      return items;
    } catch (error) {
      const code = error instanceof ClusterError ? error.code : undefined;
      // Clusters without Gateway API.
      if (code === 404) return [];
      // Accounts of regions without autoscalers have no rights for them.
      if (code === 403 && kind === 'HorizontalPodAutoscaler') {
        tell({ kind, name: '*', what: 'autoscalers, because the account of the region cannot list them' });
        return [];
      }
      throw error;
    }
  }
  const [deployments, statefulSets, services, ingresses, routes, autoscalers] = await Promise.all(
    (
      ['Deployment', 'StatefulSet', 'Service', 'Ingress', 'HTTPRoute', 'HorizontalPodAutoscaler'] as const
    ).map(list),
  );
  const all = [...deployments!, ...statefulSets!];
  for (const { kind, metadata } of all.filter(isManaged)) {
    tell({ kind, name: metadata.name, what: 'the workload, because it is a component already' });
  }
  const workloads = all.filter((each) => !isManaged(each));
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
      objects.set(reference, await client.read(kind, namespace, name, signal));
    }),
  );
  const references = {
    data(kind: 'ConfigMap' | 'Secret', name: string) {
      const object = objects.get(`${kind} ${name}`);
      return object && textsOf(object);
    },
    claim: (name: string) => objects.get(`PersistentVolumeClaim ${name}`),
  };
  const foreign = (some: KubernetesObject[]) => some.filter((each) => !isManaged(each));
  const found = foundIn(
    {
      workloads: taken,
      services: foreign(services!),
      routes: foreign([...ingresses!, ...routes!]),
      autoscalers: foreign(autoscalers!),
    },
    references,
  );
  return { components: found.components, omitted: [...omitted, ...found.omitted] };
}

export const namespaceAccess = (inCluster: InCluster): NamespaceAccess => ({
  read: (regionId, namespace, signal) =>
    inCluster(regionId, signal, ({ connection }) => readNamespace(connection.client, namespace, signal)),
});
