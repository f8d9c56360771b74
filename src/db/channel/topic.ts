/** A subject of changes: the events of a team, an application, a job, the versions of a published template, or rights. */
export type Topic =
  | `events/${string}`
  | `application/${number}`
  | `job/${number}`
  | `template/${string}`
  | 'rights';
