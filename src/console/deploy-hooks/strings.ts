export const text = {
  title: 'Deploy hooks',
  none: 'No deploy hooks. A pipeline can call the URL of a deploy hook to deploy the component without an access token.',
  off: 'Deploy hooks are switched off for this component. “Deploy hooks can deploy it” of its settings switches them on.',
  columns: { name: 'Name', created: 'Added', used: 'Last used' },
  never: 'Never',
  create: 'New deploy hook',
  createTitle: (component: string) => `New deploy hook of ${component}`,
  createIntro:
    'Whoever has its URL can set the image of the component to another one of the same repository, and deploy it.',
  update: 'Edit hook',
  updateTitle: (name: string) => `Edit the deploy hook ${name}`,
  rotate: 'Replace URL',
  rotateTitle: (name: string) => `Replace the URL of ${name}`,
  rotateIntro: 'The present URL is rejected from then on.',
  delete: 'Delete hook',
  deleteTitle: (name: string) => `Delete the deploy hook ${name}`,
  deleteIntro: 'Its URL is rejected from then on. This cannot be undone.',
  labels: { name: 'Name', tagPattern: 'Tags to deploy' },
  hints: {
    name: 'What it is for, such as the name of a pipeline.',
    tagPattern:
      "For hooks called by a registry, for example v1.*. Leave empty for the component's current tag.",
  },
  tags: (pattern: string) => `tags ${pattern}`,
  urlOnce: 'Copy the URL now. It cannot be read again.',
  example: 'In a pipeline',
} as const;
