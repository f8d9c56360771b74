export const text = {
  search: 'Search the log',
  found: (name: string) => `Lines of ${name} that match`,
  none: 'No line matches.',
  more: 'Older lines may also match.',
  sources: {
    INSTANCES: 'Searched: what the cluster has of the log.',
    LOG_STORE: 'Searched: the log store of the region.',
    SAVED: 'Only the saved end of the log was searched.',
  },
} as const;
