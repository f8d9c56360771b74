import DataLoader from 'dataloader';
import { vi } from 'vitest';

const tokenHash = /^[0-9a-f]{64}$/;

/**
 * The keys that `request` asks all DataLoaders for, in order. The hash of its token is left out: it is looked
 * up again when what is remembered of it is older than a moment.
 */
export const loadedKeys = async (request: () => Promise<unknown>): Promise<unknown[]> => {
  const load = vi.spyOn(DataLoader.prototype, 'load');
  try {
    await request();
    return load.mock.calls.map(([key]) => key).filter((key) => !tokenHash.test(String(key)));
  } finally {
    load.mockRestore();
  }
};
