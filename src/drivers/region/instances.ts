import type { NamespaceOwner } from './desired.ts';
import type { LogGap } from './stored-logs.ts';

/** The component of the instances, with its names in the cluster. */
export interface InspectedComponent extends NamespaceOwner {
  id: string;
  regionId: string;
  clusterName: string;
  deployState: string;
  replicas: number;
  image: string;
}

/** A component whose events are read. */
export interface ObservedComponent extends InspectedComponent {
  /** Since when objects with its names in the cluster are its own, those that are gone included. Null if they may be of another. */
  namedSince: Date | null;
}

export interface Instance {
  name: string;
  /** Identifies it among instances with the same name that come after each other. */
  uid: string;
  /** The first is the one that the component describes. */
  containers: string[];
  /** The node that it runs on, once it has one. */
  node: string | null;
  phase: string;
  isReady: boolean;
  restarts: number;
  startedAt: Date | null;
  /** Why it does not run, or was started again lately. */
  reason: string | null;
}

/** A line that a container has written. */
export interface LogLine {
  instance: string;
  container: string;
  /** When it was written, in UTC with nine decimals, so that texts compare like times. Null if unknown. */
  at: string | null;
  text: string;
}

/** For whom a cluster is asked: its calls are shared between users and teams. */
export interface Reader {
  /** The id of the user or service account. */
  callerId: string | number;
  teamId: string;
}

/** The lines of a log that are asked for. */
export interface LogFilter {
  since: Date | null;
  /** The last millisecond of the lines. */
  until: Date | null;
  /** The text that a line has to contain, in any letter case. */
  search: string | null;
}

export interface LogQuery extends LogFilter {
  reader: Reader;
  /** Null for the first container of each instance. */
  container: string | null;
  /** The maximum number of lines. */
  tail: number;
}

/** Lines by time. */
export interface Logs {
  lines: LogLine[];
  /** Whether lines were left out because of the limits. */
  isTruncated: boolean;
}

export interface StoredLogQuery {
  reader: Reader;
  /** Null for every instance that the component had. */
  instance: string | null;
  /** Null for every container. */
  container: string | null;
  /** The maximum number of lines. */
  tail: number;
  /** The text that a line has to contain, in any letter case. Null for all lines. */
  search: string | null;
  /** The first and the last millisecond of the lines. */
  from: Date;
  to: Date;
}

/** The last lines of a time that a log store has recorded. */
export type StoredLogs = { gap: LogGap } | ({ gap: null } & Logs);

export interface FollowQuery {
  reader: Reader;
  /** Null for every instance, also those that start later. */
  instance: Pick<Instance, 'name' | 'uid'> | null;
  container: string | null;
  /** The number of existing lines to send first, for each instance. */
  tail: number;
  /** The time of the last known line of each instance. Only later lines follow. */
  after: ReadonlyMap<string, string>;
}

/** Something that happened to the objects of a component in a cluster. */
export interface ClusterEvent {
  isWarning: boolean;
  reason: string;
  message: string;
  count: number;
  firstAt: Date | null;
  lastAt: Date | null;
  objectKind: string;
  objectName: string;
}

/** A look at the instances of components. Calls are bounded by the limits below. */
export interface InstanceAccess {
  /** By name. */
  list(component: InspectedComponent, signal: AbortSignal): Promise<Instance[]>;
  /** The last lines of the instances, which are all of the component. */
  logs(
    component: InspectedComponent,
    instances: readonly Instance[],
    query: LogQuery,
    signal: AbortSignal,
  ): Promise<Logs>;
  /** Lines that were recorded elsewhere, also of instances that are gone. Asked even if the cluster does not respond. */
  stored(component: InspectedComponent, query: StoredLogQuery, signal: AbortSignal): Promise<StoredLogs>;
  /**
   * Lines as they are written, until the instance is gone or the signal is aborted. Reads no faster than it is read.
   * LIMIT_EXCEEDED if the reader follows too many instances.
   */
  follow(component: InspectedComponent, query: FollowQuery, signal: AbortSignal): AsyncIterable<LogLine[]>;
  /** Newest first. */
  events(component: ObservedComponent, reader: Reader, signal: AbortSignal): Promise<ClusterEvent[]>;
  /** Deletes an instance, which the cluster replaces. One that is gone is fine. */
  remove(
    component: InspectedComponent,
    instance: Pick<Instance, 'name' | 'uid'>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** The maximum number of instances in a response. */
export const instanceLimits = {
  /** Lines of an answer. */
  lines: 1_000,
  /** Lines that are searched, of all instances together. At least the number above of each. */
  searched: 10_000,
  /** Bytes of the lines of an answer, or of one item of a stream. */
  bytes: 512 * 1024,
  /** Bytes of a line. What is longer is cut. */
  lineBytes: 16 * 1024,
  /** Instances whose lines are read or followed together. */
  instances: 20,
  /** Events of an answer. */
  events: 200,
};
