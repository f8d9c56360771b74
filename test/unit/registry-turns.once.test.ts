import { describe, expect, it } from 'vitest';
import type { ImageRegistry } from '../../src/drivers/registry/driver.ts';
import { shareImageRegistry } from '../../src/drivers/registry/shared.ts';

describe('the calls to registries for digests', () => {
  it('of one member leave some to the other members of the team', async () => {
    const asked: string[] = [];
    const ends: (() => void)[] = [];
    const registry: ImageRegistry = {
      find: async () => null,
      digest: ({ host }) => {
        asked.push(host);
        return new Promise((resolve) => ends.push(() => resolve(null)));
      },
    };
    const shared = shareImageRegistry(registry);
    const ask = (callerId: string, host: string) =>
      shared.digest({ teamId: 'team', callerId }, { host, repository: 'web', reference: 'main' }, null);
    const many = Array.from({ length: 40 }, (_, index) => ask('one', `slow-${index}.example`));
    const other = ask('two', 'registry.example');
    await new Promise(setImmediate);
    expect(asked).toContain('registry.example');
    expect(asked).toHaveLength(5);
    let isOver = false;
    const all = Promise.all([...many, other]).then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (const end of ends.splice(0)) end();
      await new Promise(setImmediate);
    }
    await all;
  });
});
