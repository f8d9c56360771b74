export const text = {
  noLimit: 'No limit',
  allRequests: 'All requests',
} as const;
