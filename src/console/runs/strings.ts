/** The texts of runs. */
export const text = {
  title: 'Runs',
  none: 'No runs. A run is a command that runs once, with the configuration of the component and beside its instances.',
  columns: { command: 'Command', status: 'Status', created: 'Started', ended: 'Ended' },
  start: 'Run a command',
  startTitle: (component: string) => `Run a command with the configuration of ${component}`,
  startIntro:
    'It runs beside the instances, with the image, variables and files that are deployed. Whoever sees the component sees the command.',
  command: 'Command',
  commandHint:
    'One word a line, such as “npm”, “run” and “migrate”. No shell reads it: for one, begin with “sh” and “-c”.',
  timeout: 'Ended after (seconds)',
  cancel: 'Cancel run',
  cancelTitle: 'Cancel the run',
  cancelIntro: 'Its command is ended.',
  log: 'Log',
  logOf: (command: string) => `Log of ${command}`,
  hide: 'Hide log',
  bySchedule: (cron: string) => `by the schedule ${cron}`,
  statuses: {
    PENDING: 'Pending',
    RUNNING: 'Running',
    CANCELLING: 'Being cancelled',
    SUCCEEDED: 'Succeeded',
    FAILED: 'Failed',
    TIMED_OUT: 'Timed out',
    CANCELLED: 'Cancelled',
  },
  exitCode: (code: number) => `exit code ${code}`,
} as const;
