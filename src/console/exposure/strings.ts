export const text = {
  newTab: 'opens in a new tab',
  copy: (address: string) => `Copy ${address}`,
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
  nowhere: {
    DECLARED: 'Addresses lead nowhere: the region is declared, so nothing runs in it.',
    SIMULATED: 'Addresses lead nowhere: the region is simulated, so nothing runs in it.',
  },
} as const;
