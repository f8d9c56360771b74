export const text = {
  newTab: 'opens in a new tab',
  copy: (address: string) => `Copy ${address}`,
  address: 'Address',
  rule: 'Rule',
  details: 'Details',
  detailsOf: (name: string) => `Details of ${name}`,
  nowhere: {
    DECLARED: 'Addresses lead nowhere: the region is declared, so nothing runs in it.',
    SIMULATED: 'Addresses lead nowhere: the region is simulated, so nothing runs in it.',
  },
} as const;
