import type { FoundNamespace } from '../../convert/kubernetes/model.ts';

/** Reads what runs in a namespace, and changes nothing. */
export interface NamespaceAccess {
  /** Undefined if there is no such namespace. */
  read(regionId: string, namespace: string, signal: AbortSignal): Promise<FoundNamespace | undefined>;
}

/** The most workloads of a namespace that are read. */
export const maxFoundComponents = 100;
