/** The texts of what happens at the times of a cron expression. */
export const timing = {
  cron: 'Schedule (cron expression)',
  cronHint:
    'Minute, hour, day of the month, month and day of the week. “30 3 * * MON-FRI” is 3:30 on weekdays.',
  timeZone: 'Time zone',
  timeZoneHint: 'For example Europe/Berlin.',
  skipped: 'Skipped',
  reasons: {
    LATE: 'no gateway was running',
    NOT_DEPLOYED: 'the component had not been deployed',
  },
} as const;
