import { expect, it } from 'vitest';
import type { ImageRegistry } from '../../src/drivers/registry/driver.ts';
import { shareImageRegistry } from '../../src/drivers/registry/shared.ts';

const imageNamed = (reference: string) => ({ host: 'registry.example', repository: 'shop/web', reference });
const settled = () => new Promise(setImmediate);

it('lets deploys ask a registry that everybody else only looks at', async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const registry: ImageRegistry = {
    find: () => Promise.reject(new Error('not used')),
    digest(image) {
      asked.push(image.reference);
      return new Promise((resolve) => answers.push(() => resolve(`sha256:${image.reference}`)));
    },
  };
  const shared = shareImageRegistry(registry, { timeoutMs: 5_000, callsPerRegistry: 4 });
  const looks = ['one', 'two'].flatMap((teamId) =>
    Array.from({ length: 10 }, (_, index) =>
      shared.currentDigest({ teamId }, imageNamed(`${teamId}-${index}`), null),
    ),
  );
  await settled();
  expect(asked).toEqual(['one-0', 'one-1']);
  const deploys = [1, 2].map((number) =>
    shared.digest({ teamId: 'one', callerId: 'one' }, imageNamed(`deploy-${number}`), null),
  );
  await settled();
  expect(asked).toEqual(['one-0', 'one-1', 'deploy-1', 'deploy-2']);
  for (let at = 0; at < looks.length + deploys.length; at++) {
    answers[at]!();
    await settled();
  }
  expect(await Promise.all([...looks, ...deploys])).toHaveLength(22);
  // Both teams have their turns.
  expect(asked.slice(4, 12).filter((reference) => reference.startsWith('two-')).length).toBeGreaterThan(2);
});
