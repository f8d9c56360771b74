import type * as protocol from '../../../src/db/work/protocol.ts';
import type { KubernetesObject } from '../../../src/drivers/region/kubernetes/objects/objects.ts';
import type * as fence from '../../../src/drivers/region/kubernetes/write/fence.ts';

/** The decisions of the product. A test replaces one of them to see whether that is found. */
export type Decisions = Pick<
  typeof protocol,
  'mayTakeOver' | 'mayStart' | 'mayRenew' | 'maySettle' | 'msLeft' | 'mayApply'
> &
  Pick<typeof fence, 'preconditionOf'>;

export type Action = 'apply' | 'remove';

/** A job on one component, as its row says. Numbers of jobs begin with 1. */
export interface Job {
  action: Action;
  status: 'absent' | 'pending' | 'running' | 'cancelled' | 'succeeded' | 'failed';
  owner: string | null;
  untilMs: number | null;
}

/** What the cluster has of the workload of the component. One without instances is not whole. */
export interface Workload {
  uid: number;
  version: number;
  job: number;
  isWhole: boolean;
}

/** What a gateway has to do next, or what it waits for. */
export type Step = 'read' | 'create' | 'checkRemoval' | 'write' | 'noteRemoval' | 'delete';

export interface Call {
  job: number;
  step: Step;
  /** What was found last. */
  found: Workload | null;
  renewedAtMs: number;
  /** For how long its machine was suspended since the last renewal, which its monotonic clock does not count. */
  suspendedMs: number;
  /** Whether its request is on its way. */
  isSent: boolean;
}

interface Gateway {
  call: Call | null;
  /** What came of a call, which the database does not have yet. */
  outcome: { job: number; kind: 'done' | 'failed' | 'handBack' } | null;
}

/** A write on its way to the cluster, which arrives at any time, also when nobody waits for it any more. */
export interface Request {
  from: number;
  job: number;
  step: Step;
  /** What must still be so: null if nothing. */
  only: { uid?: number; version: number } | null;
}

export interface World {
  nowMs: number;
  /** Whether the first gateway reaches the database. */
  hasDatabase: boolean;
  /** Whether it has lost and regained it, which happens once. */
  wasAway: boolean;
  jobs: Job[];
  gateways: Gateway[];
  workload: Workload | null;
  /** The number that a removal has left behind. */
  removed: number | null;
  versions: number;
  requests: Request[];
  /** The highest number of a job whose effect the cluster had. */
  newest: number;
  /** The jobs whose effect the cluster had. */
  effects: number[];
  violation: string | null;
}

/** A workload as the functions of the driver see it. */
export const objectOf = ({ uid, version }: Workload): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', uid: String(uid), resourceVersion: String(version) },
});
