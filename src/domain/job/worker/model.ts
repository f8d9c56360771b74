export interface JobSettings {
  /** Poll interval for jobs created by other processes. */
  pollMs: number;
  /** How long a process holds work that it does not renew. */
  leaseMs: number;
  maxAttempts: number;
  /** The wait before the second attempt, which doubles with every further one. */
  backoffMinMs: number;
  backoffMaxMs: number;
  callTimeoutMs: number;
  /** How long work can go on in a cluster before it has failed. */
  deadlineMs: number;
}

export const jobDefaults: JobSettings = {
  pollMs: 5_000,
  leaseMs: 30_000,
  maxAttempts: 10,
  backoffMinMs: 1_000,
  backoffMaxMs: 300_000,
  callTimeoutMs: 60_000,
  deadlineMs: 900_000,
};
