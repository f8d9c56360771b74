import { timing } from '../strings/timing.ts';

/** The texts of schedules. */
export const text = {
  title: 'Schedules',
  none: 'No schedules. A schedule runs a command again and again, at the times of a cron expression.',
  columns: { name: 'Name', cron: 'When', command: 'Command', next: 'Next runs' },
  create: 'New schedule',
  createTitle: (component: string) => `Run a command of ${component} by schedule`,
  createIntro:
    'Each run has the configuration that is deployed then. Nothing runs while the component is stopped, and times that are missed are not made up for.',
  edit: 'Change schedule',
  editTitle: (name: string) => `Change the schedule ${name}`,
  editIntro: 'Runs that have not ended go on as they are.',
  pause: 'Pause',
  pauseTitle: (name: string) => `Pause the schedule ${name}`,
  pauseIntro: 'It starts no runs until you go on with it. Runs that have not ended go on.',
  resume: 'Resume',
  resumeTitle: (name: string) => `Go on with the schedule ${name}`,
  resumeIntro: 'It starts runs from its next time on.',
  delete: 'Delete schedule',
  deleteTitle: (name: string) => `Delete the schedule ${name}`,
  deleteIntro: 'Its runs go on, and stay in the list.',
  name: 'Name',
  nameHint: 'Optional. The name of the program if you leave it empty.',
  concurrency: 'If a run has not ended',
  concurrencies: {
    FORBID: 'Skip the time',
    REPLACE: 'Cancel that run',
    ALLOW: 'Start another beside it',
  },
  paused: 'Paused',
  noNext: 'None',
  reasons: {
    ...timing.reasons,
    STOPPED: 'the component was stopped',
    UNAVAILABLE: 'the region was not enabled',
    UNFINISHED: 'a run had not ended',
    TOO_MANY: 'too many runs had not ended',
  },
} as const;
