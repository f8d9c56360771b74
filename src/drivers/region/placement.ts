import type { FoundPlacement, NodeLabel, Toleration } from '../../convert/kubernetes/model.ts';

export type { NodeLabel, Toleration };

/** On which nodes the instances of a component run, and how many of them stay when nodes are drained. */
export interface Placement extends FoundPlacement {
  /** Has an effect on components with more than one instance. 0 means that all may stop at once. */
  minAvailable: number;
}

export const anywhere: Placement = { nodeLabels: [], tolerations: [], spread: null, minAvailable: 1 };
