import { amountOf, normalQuantity } from './defaults.ts';
import { type Kind, kindNamed } from './kinds.ts';
import { forbidden } from './status.ts';
import type { Store } from './store.ts';

type Amounts = { [resource: string]: number };

/** What an object counts towards each resource of a quota. */
function usageOf({ kind, plural }: Kind, { spec, status }: any): Amounts {
  const count = { [`count/${plural}`]: 1 };
  if (kind === 'Service') {
    const hasNodePorts = ['NodePort', 'LoadBalancer'].includes(spec.type);
    return { ...count, services: 1, 'services.nodeports': hasNodePorts ? (spec.ports?.length ?? 0) : 0 };
  }
  if (kind === 'PersistentVolumeClaim') {
    const storage = amountOf(spec.resources?.requests?.storage);
    return { ...count, persistentvolumeclaims: 1, 'requests.storage': storage };
  }
  if (kind !== 'Pod') return count;
  if (['Succeeded', 'Failed'].includes(status?.phase)) return {};
  const sum = (side: string, resource: string) =>
    spec.containers.reduce(
      (total: number, each: any) => total + amountOf(each.resources?.[side]?.[resource]),
      0,
    );
  const compute = ['requests', 'limits'].flatMap((side) =>
    ['cpu', 'memory'].map((resource) => [`${side}.${resource}`, sum(side, resource)]),
  );
  return { ...count, pods: 1, ...Object.fromEntries(compute) };
}

const written = (resource: string, amount: number) => {
  if (!/memory|storage/.test(resource)) return normalQuantity(amount);
  const unit = [
    ['Gi', 2 ** 30],
    ['Mi', 2 ** 20],
    ['Ki', 2 ** 10],
  ] as const;
  const [suffix, size] = unit.find(([, each]) => amount > 0 && amount % each === 0) ?? ['', 1];
  return `${amount / size}${suffix}`;
};

function usedIn(store: Store, namespace: string, resources: string[]): Amounts {
  const used: Amounts = Object.fromEntries(resources.map((resource) => [resource, 0]));
  for (const [kind, object] of store.contentOf(namespace)) {
    for (const [resource, amount] of Object.entries(usageOf(kind, object))) {
      if (resource in used) used[resource]! += amount;
    }
  }
  return used;
}

/** Refuses a new object that exceeds a quota of its namespace. */
export function requireQuota(store: Store, kind: Kind, object: any): void {
  const { name, namespace } = object.metadata;
  for (const quota of namespace ? store.list(kindNamed('ResourceQuota'), namespace) : []) {
    const hard: { [resource: string]: unknown } = quota.spec?.hard ?? {};
    const added = usageOf(kind, object);
    if (kind.kind === 'Pod') requireStated(kind, quota.metadata.name, hard, object);
    const used = usedIn(store, namespace, Object.keys(hard));
    const exceeded = Object.keys(hard)
      .sort()
      .filter((each) => added[each] && used[each]! + added[each]! > amountOf(hard[each]));
    if (exceeded.length === 0) continue;
    const told = (of: (resource: string) => number) =>
      exceeded.map((each) => `${each}=${written(each, of(each))}`).join(',');
    throw forbidden(
      kind,
      name,
      `exceeded quota: ${quota.metadata.name}, requested: ${told((each) => added[each]!)}, used: ${told((each) => used[each]!)}, limited: ${told((each) => amountOf(hard[each]))}`,
    );
  }
}

/** Under a quota of a compute resource, each container has to state it. */
function requireStated(kind: Kind, quota: string, hard: object, { metadata, spec }: any): void {
  const missing = Object.keys(hard)
    .filter((each) => /^(requests|limits)\.(cpu|memory)$/.test(each))
    .sort()
    .flatMap((each) => {
      const [side, resource] = each.split('.') as [string, string];
      const names = spec.containers
        .filter(({ resources }: any) => resources?.[side]?.[resource] === undefined)
        .map(({ name }: any) => name);
      return names.length ? [`${each} for: ${names.join(',')}`] : [];
    });
  if (missing.length)
    throw forbidden(kind, metadata.name, `failed quota: ${quota}: must specify ${missing.join('; ')}`);
}

/** Writes the use of each quota to its status. */
export function countQuotas(store: Store): void {
  for (const quota of store.list(kindNamed('ResourceQuota'))) {
    const hard = quota.spec?.hard ?? {};
    const used = usedIn(store, quota.metadata.namespace, Object.keys(hard));
    const status = {
      hard,
      used: Object.fromEntries(Object.entries(used).map(([name, amount]) => [name, written(name, amount)])),
    };
    store.save(kindNamed('ResourceQuota'), { ...quota, status });
  }
}
