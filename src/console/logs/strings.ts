export const text = {
  search: 'Search the log',
  found: (name: string) => `Matching log lines of ${name}`,
  none: 'No matching lines.',
  more: 'Older lines might also match.',
  sources: {
    INSTANCES: 'Searched the logs in the cluster.',
    LOG_STORE: 'Searched the log store of the region.',
    SAVED: 'Searched only the last saved lines of the log.',
  },
} as const;
