/** What a job was started by. */
export const jobKinds = {
  deploy: 'Deploys components.',
  start: 'Starts stopped components.',
  stop: 'Stops components.',
  restart: 'Restarts components.',
  scale: 'Changes the number or the size of instances.',
  upgrade: 'Brings components to another version of their template.',
  delete: 'Removes deleted components from the cluster.',
} as const;
export type JobKind = keyof typeof jobKinds;

/** The status of a job, and of each of its components. */
export const jobStatuses = {
  pending: 'Not started.',
  running: 'Being carried out.',
  succeeded: 'Carried out.',
  failed: 'Given up after an error.',
  cancelled: 'Cancelled by a user, or superseded by a newer job.',
} as const;
export type JobStatus = keyof typeof jobStatuses;

/**
 * What a region driver is told about a component: `apply` makes the cluster match its desired state, `restart`
 * replaces its instances, and `remove` deletes it.
 */
export type JobAction = 'apply' | 'restart' | 'remove';
