import { kindNamed } from './api/kinds.ts';
import type { Store } from './api/store.ts';

/** A pod, of a cluster or only thought of. */
export interface Peer {
  metadata: { name: string; namespace: string; labels: Record<string, string> };
}

export interface Port {
  port: number;
  protocol: string;
}

function matches(selector: any, labels: Record<string, string>): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const isMet = ({ key, operator, values = [] }: { key: string; operator: string; values?: string[] }) => {
    const has = labels[key];
    if (operator === 'Exists') return has !== undefined;
    if (operator === 'DoesNotExist') return has === undefined;
    const isAmong = has !== undefined && values.includes(has);
    return operator === 'In' ? isAmong : !isAmong;
  };
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(isMet)
  );
}

/** What the network policies of a cluster let through, as the documentation of their API says it. */
export class NetworkPolicies {
  readonly #policies: any[];
  readonly #labels: Map<string, Record<string, string>>;

  constructor(store: Store) {
    this.#policies = store.list(kindNamed('NetworkPolicy'));
    this.#labels = new Map(
      store.list(kindNamed('Namespace')).map(({ metadata }) => [metadata.name, metadata.labels ?? {}]),
    );
  }

  #isPeer(of: any, policy: any, { metadata }: Peer): boolean {
    if (of.ipBlock) throw new Error('Addresses are not looked at.');
    const isIn = of.namespaceSelector
      ? matches(of.namespaceSelector, this.#labels.get(metadata.namespace) ?? {})
      : metadata.namespace === policy.metadata.namespace;
    return isIn && (!of.podSelector || matches(of.podSelector, metadata.labels));
  }

  /** Whether one side of a connection lets it through: that of the pod that it begins at, or that it ends at. */
  #allows(side: 'Ingress' | 'Egress', pod: Peer, other: Peer, { port, protocol }: Port): boolean {
    const ofPod = this.#policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace &&
        spec.policyTypes.includes(side) &&
        matches(spec.podSelector ?? {}, pod.metadata.labels),
    );
    if (ofPod.length === 0) return true;
    return ofPod.some((policy) =>
      (policy.spec[side.toLowerCase()] ?? []).some((rule: any) => {
        const peers = side === 'Ingress' ? rule.from : rule.to;
        const isFrom = !peers?.length || peers.some((of: any) => this.#isPeer(of, policy, other));
        const isOn =
          !rule.ports?.length ||
          rule.ports.some(
            (each: any) =>
              (each.protocol ?? 'TCP') === protocol &&
              (each.port === undefined || (each.port <= port && port <= (each.endPort ?? each.port))),
          );
        return isFrom && isOn;
      }),
    );
  }

  allows(from: Peer, to: Peer, port: Port): boolean {
    return this.#allows('Egress', from, to, port) && this.#allows('Ingress', to, from, port);
  }

  /** The connections between pods of different namespaces that get through, of all pairs and ports. */
  crossings(pods: readonly Peer[], ports: readonly Port[]): string[] {
    return pods.flatMap((from) =>
      pods
        .filter((to) => to.metadata.namespace !== from.metadata.namespace)
        .flatMap((to) =>
          ports
            .filter((port) => this.allows(from, to, port))
            .map(({ port, protocol }) => `${from.metadata.name} ${to.metadata.name} ${protocol} ${port}`),
        ),
    );
  }
}
