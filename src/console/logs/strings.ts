export const text = {
  search: 'Search the log',
  found: (name: string) => `Lines of ${name} that match`,
  none: 'No line matches.',
  more: 'Older lines may match, too.',
  sources: {
    INSTANCES: 'Searched: what the cluster has of the log.',
    LOG_STORE: 'Searched: the log store of the region.',
    SAVED: 'Searched: the end of the log, which was saved.',
  },
} as const;
