import type { KubernetesObject } from './objects.ts';

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export const conditionsOf = ({ status }: KubernetesObject): Condition[] => status?.conditions ?? [];

export const conditionOf = (object: KubernetesObject, type: string): Condition | undefined =>
  conditionsOf(object).find((each) => each.type === type);
