export const text = {
  expires: 'expires',
  expired: 'expired',
  title: 'Certificates',
  none: 'No certificates. A rule with a certificate serves HTTPS.',
  columns: { name: 'Name', names: 'Covers', issuer: 'Issuer', expires: 'Expires', rules: 'Used by' },
  unused: 'No rule',
  moreRules: (count: number) => `and ${count} more`,
  add: 'Add certificate',
  addTitle: 'Add a certificate',
  addIntro:
    'Rules of the team can use it for the domains that it covers. Its private key is stored encrypted and cannot be read again.',
  replace: 'Replace',
  replaceTitle: (name: string) => `Replace ${name}`,
  replaceIntro:
    'The rules that use the certificate serve the new one. It has to cover their domains. The old chain and key are deleted.',
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}`,
  fields: { certificate: 'Certificate', key: 'Private key', name: 'Name' },
  hints: {
    certificate:
      'In PEM: the certificate and its issuers, in any order. The private key can be among the files.',
    key: 'In PEM, without a passphrase.',
    name: 'Defaults to the first domain.',
  },
  paste: 'Paste it, or drop files (.crt, .pem, .key) here.',
  pasteKey: 'Paste it, or drop a file (.key, .pem) here.',
  hasKey: 'The private key is among what you entered.',
  choice: {
    label: 'Certificate',
    none: 'None: HTTP without encryption',
    current: (name: string) => `${name} (does not cover the domain)`,
    enterDomain: 'Enter the domain to see which certificates cover it.',
    covers: (names: string) => `Covers ${names}`,
    noneCovers: (domain: string) => `No certificate of the team covers ${domain}.`,
    others: (domain: string, certificates: string) => `Not covering ${domain}: ${certificates}`,
    new: 'New certificate',
  },
} as const;
