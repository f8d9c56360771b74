import type { Services } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { JobWrite } from './settle-rows.ts';

/** Whether a component can be applied: since when, if something came before that; what it waits for; or why it never can be. */
export type Passage =
  | { kind: 'open'; since: Date | null }
  | { kind: 'waits'; reason: string }
  | { kind: 'stopped'; error: string };

/** What comes between a job and the cluster: the commands before deploys, of a concept that jobs do not know. */
export interface DeployGate {
  /** Starts what comes before a component is applied, or looks how it is. */
  pass(services: Services, work: Row<'JobComponent'>): Promise<Passage>;
  /** Locks the components of work that may end with their deploys taken back. Called before the jobs of the region are locked. */
  lock(write: JobWrite, jobIds: readonly number[]): Promise<void>;
  /** Takes back the deploys of work that ends without them, in locked jobs. Returns the ids of the components. */
  takeBack(write: JobWrite, jobId: number, componentIds: readonly string[]): Promise<string[]>;
}

let gate: DeployGate | undefined;

/** Called by `api.ts`. */
export function provideDeployGate(by: DeployGate): void {
  gate = by;
}

export const deployGate = (): DeployGate => gate!;
