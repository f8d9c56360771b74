export const text = {
  link: 'Releases',
  all: 'All releases',
  note: 'Each deploy with changes creates a release. The last 50 are kept. Ports and rules take effect immediately and are not part of a release.',
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
    'Deploys the configuration of the release, with its secrets. Volumes keep their data. Ports and rules are unchanged.',
  rollBackAll: 'Roll back',
  rollBackAllTitle: (application: string) => `Roll ${application} back`,
  rollBackAllIntro:
    'Restores the releases deployed at a given time. Stopped components are changed but not started. Components created later are unchanged.',
  at: 'Time',
  startStopped: 'Start the component if it is stopped',
  startStoppedAll: 'Also start stopped components',
  omitted: (count: number) =>
    count === 1 ? '1 component is unchanged' : `${count} components are unchanged`,
  promote: 'Promote',
  promoteTitle: (component: string, number: number) => `Promote release ${number} of ${component}`,
  promoteIntro:
    'Deploys the image and the configuration to the component of the same name in another application. The variables and secrets of the other component are kept.',
  noTarget: 'You cannot deploy a component with this name in any other application.',
  to: 'Application',
  includesResources: 'Also promote the number and size of instances',
} as const;
