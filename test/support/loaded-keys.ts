import DataLoader from 'dataloader';
import { vi } from 'vitest';

/** The keys that `request` asks all DataLoaders for, in order. */
export const loadedKeys = async (request: () => Promise<unknown>): Promise<unknown[]> => {
  const load = vi.spyOn(DataLoader.prototype, 'load');
  try {
    await request();
    return load.mock.calls.map(([key]) => key);
  } finally {
    load.mockRestore();
  }
};
