import { collectGarbage, deleteObject } from '../api/deletes.ts';
import { kindNamed } from '../api/kinds.ts';
import { countQuotas } from '../api/quota.ts';
import type { Store } from '../api/store.ts';
import { type Load, runAutoscalers } from './autoscalers.ts';
import { runCertManager } from './cert-manager.ts';
import { runDeployments } from './deployments.ts';
import { runJobs } from './jobs.ts';
import { runPods } from './pods.ts';
import type { Program } from './programs.ts';
import { runSnapshots } from './snapshots.ts';
import { runStatefulSets } from './stateful-sets.ts';

export interface ControllerOptions {
  /** Whether a node runs pods; without one they stay as they were created. */
  hasKubelet: boolean;
  /** Whether claims are bound. */
  hasProvisioner: boolean;
  /** The issuers of cert-manager. Without a list, it is not installed. */
  issuers?: readonly string[];
  /** The load of a Deployment. Without one, there is no metrics API. */
  loadOf?(deployment: any): Load | undefined;
  /** Whether there are snapshots. */
  hasSnapshots?: boolean;
  /** Whether a controller makes them. Defaults to true. */
  hasSnapshotController?: boolean;
  /** What the program of an image does. */
  programOf(image: string): Program;
  /** Adds a line to the log of a pod. */
  write?(pod: any, text: string): void;
}

/** Takes everything one step on, as the controllers of a cluster do. */
export function runControllers(store: Store, options: ControllerOptions): void {
  runNamespaces(store);
  runPods(store, options);
  runDeployments(store);
  runStatefulSets(store);
  runAutoscalers(store, options);
  runJobs(store);
  if (options.hasProvisioner) bindClaims(store);
  if (options.hasSnapshots && options.hasSnapshotController !== false) runSnapshots(store);
  if (options.issuers) runCertManager(store, options.issuers);
  collectGarbage(store);
  countQuotas(store);
}

const condition = (type: string, reason: string, message: string) => ({
  type,
  status: 'True',
  reason,
  message,
});

function runNamespaces(store: Store): void {
  for (const namespace of store.list(kindNamed('Namespace'))) {
    const { name, deletionTimestamp } = namespace.metadata;
    if (!deletionTimestamp) {
      if (!store.get(kindNamed('ServiceAccount'), name, 'default')) {
        store.put('ServiceAccount', { metadata: { name: 'default', namespace: name } });
        store.put('ConfigMap', {
          metadata: { name: 'kube-root-ca.crt', namespace: name },
          data: { 'ca.crt': '' },
        });
      }
      continue;
    }
    for (const [kind, { metadata }] of store.contentOf(name)) {
      if (metadata.deletionTimestamp) continue;
      deleteObject(store, { kind, namespace: name, name: metadata.name, manager: '', isDryRun: false }, {});
    }
    const left = store.contentOf(name);
    if (left.length === 0) store.remove(kindNamed('Namespace'), namespace);
    const finalizers = left.flatMap(([, { metadata }]) => metadata.finalizers ?? []);
    if (finalizers.length === 0) continue;
    const conditions = [
      condition(
        'NamespaceContentRemaining',
        'SomeResourcesRemain',
        `Some resources are remaining: ${left.length}`,
      ),
      condition(
        'NamespaceFinalizersRemaining',
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${finalizers[0]} in ${finalizers.length} resource instances`,
      ),
    ];
    store.save(kindNamed('Namespace'), { ...namespace, status: { ...namespace.status, conditions } });
  }
}

/** A storage class that binds a claim when a pod has it: `volumeBindingMode: WaitForFirstConsumer`. */
export const lateClass = 'late';

function bindClaims(store: Store): void {
  for (const claim of store.list(kindNamed('PersistentVolumeClaim'))) {
    if (claim.status.phase !== 'Pending') continue;
    if (claim.spec.storageClassName === lateClass && !store.relations.isUsed(claim)) continue;
    const storage = claim.spec.resources.requests.storage;
    const spec = { ...claim.spec, volumeName: `pv-${claim.metadata.uid}` };
    const status = { phase: 'Bound', accessModes: spec.accessModes, capacity: { storage } };
    const bound = { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' };
    const metadata = { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...bound } };
    store.save(kindNamed('PersistentVolumeClaim'), { ...claim, metadata, spec, status });
  }
}
