/** The texts of the first steps, and of teams. */
export const text = {
  title: 'Set up Trellis',
  intro: 'Create your first component in four steps. You can skip any of them and come back later.',
  label: 'Steps',
  step: (number: number, title: string) => `${number}. ${title}`,
  skip: 'Skip',
  open: 'Open',
  isDone: 'Done',
  isSkipped: 'Skipped',
  done: 'Everything is set up.',
  openApplication: (name: string) => `Open ${name}`,
  steps: {
    team: {
      title: 'Team',
      intro:
        'A team owns applications, and team members work on the applications. You become the owner of the team.',
      action: 'Create team',
    },
    region: {
      title: 'Region',
      intro:
        'A region is where applications run: a Kubernetes cluster, or a region without a cluster for trying things out.',
      introFor: (team: string) =>
        `A region is where applications run: a Kubernetes cluster, or a region without a cluster for trying things out. The region is opened for the team ${team}.`,
      action: 'Create region',
      existing: 'Region',
      other: 'A new region',
      open: 'Open region',
      openIntro: (team: string) => `Opens the region for the team ${team}.`,
      opening: 'Opening the region for the team…',
      exists: 'Create a team first, then open one of the existing regions for it.',
    },
    application: {
      title: 'Application',
      intro: (team: string) => `An application of the team ${team} groups components that belong together.`,
      action: 'Create application',
      needs: 'An application needs a team and a region that is open to the team.',
    },
    component: {
      title: 'First component',
      intro: (application: string) => `A component of ${application} runs a container image.`,
      action: 'Create component',
      needs: 'A component needs an application.',
      install: 'Install from the catalogue…',
      image: 'Image',
      name: 'Name',
      deploy: 'Deploy now',
      imageHint: 'For example nginx:1.29',
    },
  },

  checklist: {
    title: 'Getting started',
    go: 'Continue',
    dismiss: 'Dismiss',
  },

  errands: {
    title: 'Try this',
    failing: 'Find out why shipping keeps failing',
    upgrade: 'Upgrade Sock Shop to 0.3.0',
    open: 'Open catalogue to the outside',
  },

  noTeams: 'You are not in a team yet',
  noMembership: 'You are not a member of any team. The teams of the enterprise are:',
  ask: 'Ask an administrator to add you to a team:',
  askSomebody: 'Ask an administrator to add you to a team.',

  team: {
    create: 'New team',
    createIntro: 'A team owns applications in the regions open to the team.',
    name: 'Name',
    shortName: 'Short name',
    shortNameHint:
      'Part of default addresses. Lowercase letters, digits and hyphens. Cannot be changed later.',
    owner: 'Email address of the owner',
    ownerHint: 'Leave empty for yourself.',
    edit: 'Edit team',
    editTitle: (name: string) => `Edit ${name}`,
    editIntro: 'Changes the display name. The short name stays the same.',
    save: 'Save team',
    deleteTitle: (name: string) => `Delete ${name}`,
    deleteIntro:
      'Deletes the team with its members, quotas, certificates, credentials and service accounts. A team with applications or unfinished jobs cannot be deleted. This cannot be undone.',
  },
} as const;
