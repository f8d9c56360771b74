export const text = {
  label: 'Exposed addresses',
  intro: 'Every public address of your teams.',
  teamIntro: 'Every public address of the team.',
  columns: {
    address: 'Address',
    protocol: 'Protocol',
    component: 'Component',
    opened: 'Opened',
    rule: 'Rule',
  },
  filter: 'Filter by address',
  protocolLabel: 'Protocol',
  anyProtocol: 'Any protocol',
  protocols: { https: 'HTTPS', http: 'HTTP', tcp: 'TCP and UDP', mysql: 'MySQL', udp: 'UDP' },
  onlyWarnings: 'Only with warnings',
  none: 'Nothing is open to the outside.',
  noMatch: 'No address matches. Change the filter to see more.',
  noWarnings: 'No address has a warning.',
  database: (name: string) => `Database: ${name}`,
  unencrypted: 'Not encrypted',
  address: 'Address',
  rule: 'Rule',
  details: 'Details',
  detailsOf: (name: string) => `Details of ${name}`,
  openOutside: 'Open port to the outside',
  openInside: 'Open port inside',
  openTitle: (name: string, port: number, isOuter: boolean) =>
    `Open port ${port} of ${name} ${isOuter ? 'to the outside' : 'inside the cluster'}`,
  openInsideIntro: (address: string) => `Other components reach the port at ${address}.`,
  willBeReached: (count: number) =>
    count === 1 ? 'The port gets this public address:' : 'The port gets these public addresses:',
  databaseWarning: (name: string) =>
    `This looks like a database (${name}). Everybody on the internet could try to sign in to it. Components of the team reach it from inside.`,
  opened: 'The port is open:',
  nowhereShort: {
    DECLARED: "Won't open: declared region",
    SIMULATED: "Won't open: simulated region",
  },
  nowhere: {
    DECLARED: "This region is declared, so this address won't open.",
    SIMULATED: "This region is simulated, so this address won't open.",
  },
} as const;
