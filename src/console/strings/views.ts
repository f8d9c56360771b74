/** How often a schedule ran, and how that ended. */
interface ScheduledRuns {
  component: string;
  schedule: string;
  runs: number;
  succeeded: number;
  failed: number;
  cancelled: number;
}

/** The texts of the map, of manifests and of the record. */
export const views = {
  map: {
    label: (name: string) => `Map of ${name}`,
    outside: 'Internet',
    elsewhere: 'Another application',
    connect: 'Drag to a component to add a dependency',
    openOutside: 'outside',
    openInside: 'inside',
    closed: 'closed',
    export: 'Export SVG',
    failed: 'The map could not be drawn.',
    empty: 'Nothing to show yet',
    emptyText: 'Install a template or create a component to get started.',
    keys: 'Press Enter to open the details. Use the arrow keys to move between components.',
    details: 'Details',
    image: 'Image',
    replicas: 'Replicas',
    ports: 'Ports',
    leadsHere: 'Addresses',
    open: 'Open component',
    notPublished: 'not published',
    undeployed: 'Has undeployed changes',
    loadingRest: (shown: number, total: number) =>
      `Showing ${shown} of ${total} components. Loading the rest…`,
    tooManyRules: 'Only the first 100 HTTP and TCP rules are shown.',
  },
  manifest: {
    label: (name: string) => `Manifest of ${name}`,
    newLabel: 'Manifest of a new application',
    region: 'Region',
    noRegions: 'No regions',
    noRegionsText: 'No region is open for this team.',
    neverApplied: 'No manifest has been applied to this application.',
    applied: 'Applied',
    by: (name: string) => `by ${name}`,
    omitted: 'Not in the manifest',
    omittedColumns: { object: 'Object', component: 'Component', reason: 'Reason' },
    edit: 'Edit',
    stop: 'Stop editing',
    discard: 'Discard changes',
    discardTitle: 'Discard your changes?',
    discardText: 'Your edits are deleted. The application does not change.',
    restored: 'Your unapplied changes were restored. This tab stores them until you apply or discard them.',
    keys: 'Press Tab to leave the editor. Press Ctrl or ⌘ with ] or [ to change the indentation.',
    plan: 'Plan',
    planAgain: 'Plan again',
    place: (line: number, column: number) => `Line ${line}, column ${column}`,
    mistakes: (count: number) => `The manifest has ${count} ${count === 1 ? 'error' : 'errors'}`,
    changes: (count: number) => `${count} ${count === 1 ? 'change' : 'changes'}`,
    otherApplication: (name: string, own: string) =>
      `This manifest is for the application ${name}, not for ${own}.`,
    exists: (name: string) => `The application ${name} exists. Applying the manifest changes it.`,
    application: 'Application',
    verbs: { CREATE: 'Create', UPDATE: 'Change', DELETE: 'Delete', ADOPT: 'Adopt and change' },
    kinds: {
      APPLICATION: 'application',
      COMPONENT: 'component',
      VARIABLE: 'variable',
      CONNECTION_VARIABLE: 'connection variable',
      VOLUME: 'volume',
      SNAPSHOT_SCHEDULE: 'snapshot schedule of',
      PORT: 'port',
      SCHEDULE: 'schedule',
      DEPENDENCY: 'dependency on',
      HTTP_ROUTE: 'HTTP route',
      TCP_ROUTE: 'TCP route',
    },
    effects: { AT_ONCE: 'immediately', NEXT_DEPLOY: 'with the next deploy' },
    isDestructive: 'Destroys data or an address',
    secret: 'secret',
    adopted: (count: number) =>
      `${count} ${count === 1 ? 'object matches' : 'objects match'} the manifest and will be managed by it`,
    images: (count: number) => (count === 1 ? '1 image to deploy' : `${count} images to deploy`),
    leftOver: (count: number) =>
      `${count} ${count === 1 ? 'object is' : 'objects are'} no longer in the manifest and will not be deleted`,
    prune: 'Delete objects that are not in the manifest',
    deploy: 'Deploy',
    deployModes: { CHANGED: 'Changed components', ALL: 'All components', NONE: 'No components' },
    apply: 'Apply',
    applyManifest: 'Apply manifest',
    applyTitle: (name: string) => `Apply the manifest of ${name}`,
    mayNotApply: 'Applying requires the developer role in the team, and a token with write access.',
    allow: 'Allow changes that destroy data or an address',
    deployed: {
      CHANGED: 'Deploys new components, and running components with changes.',
      ALL: 'Deploys all components in the manifest.',
      NONE: 'Deploys no components.',
    },
    conflict:
      'The application has changed since this plan was created. Review the new plan, then apply again.',
    openJob: 'Open the job',
    example: `# An application with one component. Edit the manifest, and the plan shows the changes.
application: My application
components:
  web:
    image: nginx:1.28
    replicas: 1
    memoryMiB: 128
    variables:
      LOG_LEVEL: info
    ports:
      80: { protocol: http, isInner: true }
# Opens the port to the outside on your own domain:
# routes:
#   - { domain: www.example.org, component: web, port: 80 }
`,
  },
  record: {
    empty: 'No changes',
    emptyText: 'No matching changes.',
    cutText: 'No matches among the latest changes. Load more to search older changes.',
    somebody: 'Unknown user',
    byToken: (name: string, token: string) => `${name} (token ${token})`,
    link: 'Record',
    title: (name: string) => `Record of ${name}`,
    applicationLabel: 'Application',
    anyApplication: 'All applications',
    actionLabel: 'Action',
    anyAction: 'All actions',
    /** `component.set_variables` as `component: set variables`. */
    action: (action: string) => action.replace('.', ': ').replaceAll('_', ' '),
    typeLabel: 'Object type',
    anyType: 'All types',
    userLabel: 'Who',
    anyUser: 'Everyone',
    spanLabel: 'Period',
    anySpan: 'Any time',
    spans: { hour: 'Last hour', day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days' },
    enterpriseTypes: {
      Enterprise: 'Enterprise and refused sign-ins',
      User: 'Users',
      Session: 'Sessions',
      Role: 'Roles',
      GroupRole: 'Roles of groups',
      TeamMember: 'Members',
      ServiceAccount: 'Service accounts',
      Trust: 'Trusted pipelines',
      AccessToken: 'Access tokens',
      Team: 'Teams',
      Region: 'Regions',
      Template: 'Templates',
      StoreConnection: 'Stores',
    },
    types: {
      Application: 'Applications',
      Component: 'Components',
      Port: 'Ports',
      HttpRule: 'HTTP rules',
      TcpRule: 'TCP rules',
      Volume: 'Volumes',
      Certificate: 'Certificates',
      RegistryCredential: 'Registry credentials',
      ComponentGroup: 'Installed templates',
      Job: 'Jobs',
      TeamMember: 'Members',
      ServiceAccount: 'Service accounts',
      AccessToken: 'Access tokens',
      Team: 'Team',
    },
    more: (count: number) => `${count} more ${count === 1 ? 'change' : 'changes'} in the same request`,
    fields: (count: number) => `${count} fields`,
    runs: (count: number) => `${count} runs`,
    /** `web: nightly ran 30 times, 29 succeeded, 1 failed`. */
    scheduled: ({ component, schedule, runs, ...ends }: ScheduledRuns) => {
      const counts = [ends.succeeded, ends.failed, ends.cancelled];
      const parts = ['succeeded', 'failed', 'cancelled'].flatMap((end, index) =>
        counts[index] ? `${counts[index] === runs ? 'all' : counts[index]} ${end}` : [],
      );
      return [`${component}: ${schedule} ran ${runs} times`, ...parts].join(', ');
    },
    exportCsv: 'Export as CSV',
    exporting: 'Exporting…',
    exportCut: (count: number) =>
      `The file contains the latest ${count.toLocaleString('en')} changes. Use a filter to export older changes.`,
    columns: [
      'Time',
      'Who',
      'Action',
      'What changed',
      'Object type',
      'Object',
      'Values before and after',
      'Request',
    ],
    day: (date: Date) => date.toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long' }),
    time: (date: Date) =>
      date.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false }),
    /** `hasUndeployedChanges` as `has undeployed changes`. */
    field: (field: string) => field.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase(),
  },
};
