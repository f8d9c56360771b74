/**
 * A subject that a transaction changed: the events of a team, an application, a job, the versions of a published template,
 * rights, or the deliveries of webhooks. The last is published in the process of the change: others find it when they poll.
 */
export type Topic =
  | `events/${string}`
  | `application/${number}`
  | `job/${number}`
  | `template/${string}`
  | 'rights'
  | 'deliveries';
