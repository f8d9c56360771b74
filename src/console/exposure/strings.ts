export const text = {
  label: 'Exposed addresses',
  intro: 'Every address at which your teams can be reached from the outside.',
  teamIntro: 'Every address at which the team can be reached from the outside.',
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
  openOutside: 'Open to the outside',
  openInside: 'Open inside',
  openTitle: (name: string, port: number, isOuter: boolean) =>
    `Open port ${port} of ${name} ${isOuter ? 'to the outside' : 'inside the cluster'}`,
  openInsideIntro: (address: string) => `Other components reach the port at ${address}.`,
  willBeReached: (count: number) =>
    count === 1
      ? 'The port gets this address, which anybody can reach:'
      : 'The port gets these addresses, which anybody can reach:',
  databaseWarning: (name: string) =>
    `This looks like a database (${name}). Everybody on the internet could try to sign in to it. Components of the team reach it from inside.`,
  opened: 'The port is open:',
  nowhereShort: {
    DECLARED: 'Leads nowhere: declared region',
    SIMULATED: 'Leads nowhere: simulated region',
  },
  nowhere: {
    DECLARED: 'Addresses lead nowhere: the region is declared, so nothing runs in it.',
    SIMULATED: 'Addresses lead nowhere: the region is simulated, so nothing runs in it.',
  },
} as const;
