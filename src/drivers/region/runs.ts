import type { ComponentIdentity, DesiredComponent, RegionTarget } from './desired.ts';
import type { LogFilter, LogLine, Logs, Reader, StoredLogQuery, StoredLogs } from './instances.ts';

/** A command that runs once, as the database knows it. */
export interface RunOrder {
  id: string;
  /** The words of the command, which replaces that of the image. */
  command: readonly string[];
  /** How long it may take. The cluster ends it then. */
  timeoutSeconds: number;
  createdAt: Date;
  /** When its command was started, as far as is known. */
  startedAt: Date | null;
}

/**
 * How a run is. `pending` runs nothing yet, and `reason` is what it waits for. `gone` is one that somebody has deleted in the
 * cluster. Only a run that has ended by itself has an exit code.
 */
export interface RunReport {
  phase: 'pending' | 'running' | 'succeeded' | 'failed' | 'timedOut' | 'gone';
  exitCode: number | null;
  startedAt: Date | null;
  endedAt: Date | null;
  reason: string | null;
}

/** A run whose log is read. */
export interface InspectedRun extends RunOrder {
  regionId: string;
  component: ComponentIdentity;
  endedAt: Date | null;
  exitCode: number | null;
}

export interface RunLogQuery extends LogFilter {
  reader: Reader;
  /** The maximum number of lines. */
  tail: number;
}

export interface RunFollowQuery {
  reader: Reader;
  /** How many of the lines that are already there come first. */
  tail: number;
  /** The time of the last known line of each instance. Only later lines follow. */
  after: ReadonlyMap<string, string>;
}

/** Commands that run once, beside the instances of a component. Calls are idempotent, and return without waiting. */
export interface RunAccess {
  /** Starts a run, unless the cluster has it already. */
  start(
    region: RegionTarget,
    component: DesiredComponent,
    run: RunOrder,
    signal: AbortSignal,
  ): Promise<RunReport>;
  /** Looks at a run that was started. */
  look(
    region: RegionTarget,
    component: ComponentIdentity,
    run: RunOrder,
    signal: AbortSignal,
  ): Promise<RunReport>;
  /** Ends a run, and removes what the cluster has of it. Returns whether that is done, or has to be gone on with. */
  end(
    region: RegionTarget,
    component: ComponentIdentity,
    run: Pick<RunOrder, 'id'>,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** The last lines that a run has written. Null if the cluster does not have it, or not any more. */
  logs(run: InspectedRun, query: RunLogQuery, signal: AbortSignal): Promise<Logs | null>;
  /** Lines of a run that were recorded elsewhere. Asked even if the cluster does not respond. */
  stored(
    run: InspectedRun,
    query: Omit<StoredLogQuery, 'instance' | 'container'>,
    signal: AbortSignal,
  ): Promise<StoredLogs>;
  /** Lines as they are written, until the run has ended or the signal is aborted. */
  follow(run: InspectedRun, query: RunFollowQuery, signal: AbortSignal): AsyncIterable<LogLine[]>;
}
