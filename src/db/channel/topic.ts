/**
 * What a transaction changed: the events of a team, an application, a job, what a template of this platform offers,
 * or who may do what.
 */
export type Topic =
  | `events/${string}`
  | `application/${number}`
  | `job/${number}`
  | `template/${string}`
  | 'rights';
