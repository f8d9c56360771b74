export const text = {
  expires: 'expires',
  expired: 'expired',
} as const;
