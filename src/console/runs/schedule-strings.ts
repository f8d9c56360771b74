import { timing } from '../strings/timing.ts';

export const text = {
  title: 'Schedules',
  none: 'No schedules. A schedule runs a command at the times given by a cron expression.',
  columns: { name: 'Name', cron: 'Schedule', command: 'Command', next: 'Next runs' },
  create: 'New schedule',
  createTitle: (component: string) => `New schedule for ${component}`,
  createIntro:
    'Each run uses the configuration deployed at that time. Runs are skipped while the component is stopped. Missed runs are not made up.',
  edit: 'Edit schedule',
  editTitle: (name: string) => `Edit the schedule ${name}`,
  editIntro: 'Runs in progress continue unchanged.',
  pause: 'Pause',
  pauseTitle: (name: string) => `Pause the schedule ${name}`,
  pauseIntro: 'No new runs start until you resume the schedule. Runs in progress continue.',
  resume: 'Resume',
  resumeTitle: (name: string) => `Resume the schedule ${name}`,
  resumeIntro: 'Runs start again at the next scheduled time.',
  deleteTitle: (name: string) => `Delete the schedule ${name}`,
  deleteIntro: 'Runs in progress continue. Past runs stay in the list.',
  name: 'Name',
  nameHint: 'Optional. Defaults to the name of the program.',
  concurrency: 'If the previous run is in progress',
  concurrencies: {
    FORBID: 'Skip the new run',
    REPLACE: 'Cancel the previous run',
    ALLOW: 'Start the new run',
  },
  paused: 'Paused',
  noNext: 'None',
  reasons: {
    ...timing.reasons,
    STOPPED: 'the component was stopped',
    UNAVAILABLE: 'the region was not enabled',
    UNFINISHED: 'the previous run was in progress',
    TOO_MANY: 'too many runs were in progress',
  },
} as const;
