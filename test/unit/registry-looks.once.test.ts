import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { currentDigestOf } from '../../src/domain/component/deploy/current-digest-reads.ts';
import { resolveImages } from '../../src/domain/component/deploy/image-reads.ts';
import type { ImageRegistry } from '../../src/drivers/registry/driver.ts';
import { shareImageRegistry } from '../../src/drivers/registry/shared.ts';
import { createLoaders } from '../../src/kernel/batch.ts';

const imageNamed = (reference: string, host = 'registry.example') => ({
  host,
  repository: 'shop/web',
  reference,
});
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
      shared.currentDigest({ teamId, callerId: 'one' }, imageNamed(`${teamId}-${index}`), null),
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

describe('a member of a team whose registry does not answer', () => {
  /** A registry that never answers about its images, and one that does. */
  const registry: ImageRegistry = {
    find: ({ host }) => (host === 'slow.example' ? new Promise(() => {}) : Promise.resolve(null)),
    digest: ({ host }) => (host === 'slow.example' ? new Promise(() => {}) : Promise.resolve('sha256:1')),
  };
  const db = { registryCredential: { findManyByKeys: async () => [] } };
  const contextOf = (drivers: object, userId: number) => {
    const of = { drivers, db, actor: { userId }, loaders: createLoaders(), log: { debug() {}, warn() {} } };
    return of as unknown as Context;
  };
  const [slow, other] = [imageNamed('1', 'slow.example'), imageNamed('1')];
  const [busy, waiting] = ['busy', 'waiting'].map((callerId) => ({ teamId: 'one', callerId }));

  it('leaves room for the looks and the checks of others', async () => {
    const shared = shareImageRegistry(registry);
    for (let count = 0; count < 10; count++) {
      void shared.currentDigest(busy!, slow, null);
      void shared.find(busy!, slow, null);
    }
    expect(await shared.currentDigest(waiting!, other, null)).toBe('sha256:1');
    expect(await shared.find(waiting!, other, null)).toBeNull();
  });

  it('leaves room for the digests that others read', async () => {
    const drivers = { registry: shareImageRegistry(registry) };
    const ask = (userId: number, image: string) => currentDigestOf(contextOf(drivers, userId), image, 'one');
    for (let count = 0; count < 100; count++) void ask(1, `slow.example/shop/web:${count}`);
    await settled();
    expect(await ask(2, 'registry.example/shop/web:1')).toMatchObject({ digest: 'sha256:1' });
  });

  it('does not make the plans of others leave out a registry', async () => {
    let isSlow = true;
    const sometimes: ImageRegistry = {
      ...registry,
      digest: (_image, _credentials, signal) =>
        isSlow
          ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
          : Promise.resolve('sha256:1'),
    };
    const drivers = { registry: shareImageRegistry(sometimes, { timeoutMs: 1, callsPerRegistry: 4 }) };
    const image = 'registry.example/shop/web:1';
    const plan = async (userId: number) =>
      (await resolveImages(contextOf(drivers, userId), 'one', [image], { isPlan: true })).get(image)!.digest;
    expect(await plan(1)).toBeNull();
    isSlow = false;
    expect(await plan(1)).toBeNull();
    expect(await plan(2)).toBe('sha256:1');
  });
});
