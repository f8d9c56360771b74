/**
 * What a transaction changed: the events of a team, an application, a job, the versions of a published template, rights, or what
 * is to be sent to webhooks. The last is published in the process that has made the change: others find it when they look.
 */
export type Topic =
  | `events/${string}`
  | `application/${number}`
  | `job/${number}`
  | `template/${string}`
  | 'rights'
  | 'deliveries';
