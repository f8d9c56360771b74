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
  onlyWarnings: 'Only addresses with warnings',
  none: 'No ports are open to the outside.',
  noMatch: 'No matching addresses. Change the filter to see more.',
  noWarnings: 'No addresses with warnings.',
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
  openInsideIntro: (address: string) => `Other components can connect to the port at ${address}.`,
  willBeReached: (count: number) =>
    count === 1 ? 'The port gets this public address:' : 'The port gets these public addresses:',
  databaseWarning: (name: string) =>
    `This looks like a database (${name}). Anyone on the internet could try to sign in. Components of the team can connect inside the cluster instead.`,
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
