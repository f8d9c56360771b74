export const text = {
  link: 'Releases',
  all: 'All releases',
  note: 'One for each deploy that changed something. The last 50 are kept. Ports and rules take effect immediately and are not part of a release.',
  none: 'Not deployed yet.',
  columns: { number: 'Release', image: 'Image', when: 'Deployed', who: 'By', job: 'Job' },
  current: 'Latest',
  restored: (number: number) => `rollback to ${number}`,
  promoted: (application: string) => `promoted from ${application}`,
  changes: 'Changes',
  changesTitle: (from: number, to: number) => `Changes from release ${from} to ${to}`,
  nothing: 'The two releases have the same configuration.',
  rollBack: 'Roll back',
  rollBackTo: (number: number) => `Roll back to release ${number}`,
  rollBackTitle: (component: string, number: number) => `Roll ${component} back to release ${number}`,
  rollBackIntro:
    'Deploys the configuration of the release, with its secrets. Volumes keep their data; ports and rules stay as they are.',
  rollBackAll: 'Roll back',
  rollBackAllTitle: (application: string) => `Roll ${application} back`,
  rollBackAllIntro:
    'Restores what was deployed at a given time. Stopped components change and stay stopped. Components created later stay as they are.',
  at: 'Time',
  startStopped: 'Start the component if it is stopped',
  startStoppedAll: 'Also start stopped components',
  omitted: (count: number) =>
    count === 1 ? '1 component stays as it is' : `${count} components stay as they are`,
  promote: 'Promote',
  promoteTitle: (component: string, number: number) => `Promote release ${number} of ${component}`,
  promoteIntro:
    'Deploys the image and the configuration to the component of the same name in another application. That component keeps its variables and secrets.',
  noTarget: 'You cannot deploy a component of this name in any other application.',
  to: 'Application',
  includesResources: 'Promote the number and size of instances, too',
} as const;
