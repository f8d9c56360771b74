import type { Crossing } from '../../clusters.ts';
import type { ComponentIdentity } from '../../desired.ts';
import { nameOf } from '../../object-names.ts';
import { hasCode } from '../cluster/answers.ts';
import { isOfRegion, namespaceIn } from '../objects/namespaces.ts';
import {
  type KubernetesObject,
  keyOf,
  labels,
  namespaceLabels,
  selectorOf,
  shareLabel,
  teamSelector,
} from '../objects/objects.ts';
import { transportsOf } from '../objects/transports.ts';
import { applyComputed } from '../write/apply-object.ts';
import type { ClusterScope } from '../write/scope.ts';
import { namespaceSelector } from './objects.ts';

/** A component with those that it depends on, if it is not removed. */
type Of = ComponentIdentity & { dependencies?: readonly string[] };

const policyName = (target: Pick<ComponentIdentity, 'clusterName'>) => nameOf(target, 'dependents');

/** Lets the instances and runs of components in other namespaces reach the open ports of one that they depend on. */
function policyOf({ region }: ClusterScope, { target, ports, dependents }: Crossing): KubernetesObject {
  const from = dependents.flatMap((dependent) =>
    [labels.component, labels.runOf].map((label) => ({
      ...namespaceSelector(namespaceIn(region, dependent)),
      podSelector: { matchLabels: { [label]: dependent.id } },
    })),
  );
  const sharing = Object.fromEntries([target, ...dependents].map((each) => [shareLabel(each), 'true']));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: policyName(target),
      namespace: namespaceIn(region, target),
      labels: { ...namespaceLabels(target), [labels.dependentsOf]: target.id, ...sharing },
    },
    spec: {
      podSelector: { matchLabels: selectorOf(target) },
      policyTypes: ['Ingress'],
      ingress: [
        {
          from,
          ports: ports.flatMap((port) =>
            transportsOf(port).map((protocol) => ({ port: port.number, protocol })),
          ),
        },
      ],
    },
  };
}

const targetIdOf = ({ metadata }: KubernetesObject): string => metadata.labels![labels.dependentsOf]!;

/** The policies in the cluster that a component has a part in. */
async function policiesBefore(
  { connection, region, signal }: ClusterScope,
  component: Of,
): Promise<KubernetesObject[]> {
  const { cache, client } = connection;
  const label = shareLabel(component);
  const kind = 'NetworkPolicy';
  const all = (await cache.hasAll([kind], 'team', signal))
    ? [...cache.informer(kind, 'team')]
    : (await client.list(kind, signal, { labelSelector: `${teamSelector(component.teamId)},${label}` }))
        .items;
  return all.filter(
    (object) =>
      object.metadata.labels?.[label] !== undefined &&
      object.metadata.labels[labels.dependentsOf] !== undefined &&
      object.metadata.labels[labels.team] === component.teamId &&
      isOfRegion(region)(object),
  );
}

/** The policies that there have to be for a component, and for those that it depends on. */
export async function policiesOf(scope: ClusterScope, component: Of): Promise<KubernetesObject[]> {
  const crossings = await scope.source.crossings([component.id, ...(component.dependencies ?? [])]);
  return crossings.map((crossing) => policyOf(scope, crossing));
}

/** Those in the cluster that have a part for a component, which it is not to have. */
export async function policiesLeft(scope: ClusterScope, component: Of): Promise<KubernetesObject[]> {
  const before = await policiesBefore(scope, component);
  if (before.length === 0) return [];
  const label = shareLabel(component);
  const crossings = await scope.source.crossings(before.map(targetIdOf));
  const desired = crossings.map((crossing) => policyOf(scope, crossing));
  const desiredKeys = new Set(
    desired.filter(({ metadata }) => metadata.labels?.[label] !== undefined).map(placedKeyOf),
  );
  return before.filter((object) => !desiredKeys.has(placedKeyOf(object)));
}

const placedKeyOf = (object: KubernetesObject) => `${object.metadata.namespace} ${keyOf(object)}`;

/**
 * Makes the policies of dependencies between namespaces, in which a component has a part or had one, those that the database
 * says. They belong to the components that are depended on: whichever of both is applied later makes them, because the namespace
 * may not be there before.
 */
export async function applyPolicies(scope: ClusterScope, component: Of): Promise<void> {
  const before = await policiesBefore(scope, component);
  const objects = new Map(before.map((object) => [placedKeyOf(object), object]));
  for (const object of await policiesOf(scope, component)) {
    if (!objects.has(placedKeyOf(object))) objects.set(placedKeyOf(object), object);
  }
  for (const [key, object] of objects) {
    const { namespace, name } = object.metadata;
    const current =
      before.find((each) => placedKeyOf(each) === key) ??
      scope.connection.cache.find('NetworkPolicy', namespace, name);
    const compute = async () => {
      const [crossing] = await scope.source.crossings([targetIdOf(object)]);
      return crossing && policyOf(scope, crossing);
    };
    await applyComputed(scope, object, labels.team, current, compute).catch((error) => {
      // The component that is depended on makes it with its namespace.
      if (!hasCode((error as Error).cause, 404)) throw error;
    });
  }
}
