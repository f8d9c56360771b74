/** A label that a node must have. */
export interface NodeLabel {
  key: string;
  value: string;
}

/** Lets instances run on nodes with matching taints. */
export interface Toleration {
  /** Null stands for the keys of all taints, with the operator `exists`. */
  key: string | null;
  operator: 'exists' | 'equal';
  /** Null with the operator `exists`. */
  value: string | null;
  /** Null stands for all effects. */
  effect: 'no_schedule' | 'prefer_no_schedule' | 'no_execute' | null;
}

/** On which nodes the instances of a component run, and how many of them stay when nodes are drained. */
export interface Placement {
  /** Each key once, in the order of the keys. */
  nodeLabels: readonly NodeLabel[];
  tolerations: readonly Toleration[];
  /** The domain that the instances are spread over. Null if that is left to the cluster. */
  spread: 'node' | 'zone' | null;
  /** Has an effect on components with more than one instance. 0 means that all may stop at once. */
  minAvailable: number;
}

export const anywhere: Placement = { nodeLabels: [], tolerations: [], spread: null, minAvailable: 1 };
