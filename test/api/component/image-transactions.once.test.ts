import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, createHook } from '../../support/deploy-hooks.ts';
import { act, createWeb, over } from '../../support/deployed-images.ts';
import { unique } from '../../support/fixtures.ts';
import { useClusterWorld } from '../../support/kubernetes/world.ts';
import { type RegistryServer, startRegistry } from '../../support/registry-server.ts';
import { ringTemplate } from '../../support/templates.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const { trellis, place } = useClusterWorld({ jobs: { backoffMaxMs: 100 } }, { place: {} });
let registry: RegistryServer;
beforeAll(async () => {
  registry = await startRegistry();
});
afterAll(() => registry?.close());

/** The transactions of requests that work takes. Those of jobs have no budget. */
async function transactionsOf<T>(work: () => Promise<T>): Promise<[number, T]> {
  const { db } = trellis.services;
  const { transaction } = db;
  let count = 0;
  db.transaction = (within, signal, charged) => {
    if (charged) count++;
    return transaction(within, signal, charged);
  };
  try {
    const done = await work();
    return [count, done];
  } finally {
    db.transaction = transaction;
  }
}

it('deploys take one transaction, whatever registries and the cluster say', async () => {
  registry.push('main');
  registry.push('next');
  const web = await createWeb(trellis, place, registry, { opensWebhooks: true });
  const hook = await createHook(trellis, web);
  const image = `${registry.host}/shop/web:next`;
  const deployAll = async (given: object = {}) => {
    const input = { application: { appId: place.appId }, ...given };
    const { job } = await trellis.succeed('deployApplication', input, 'job { uid outcome }');
    if (job) await over(trellis, job.uid);
    return job;
  };
  const called = async (body?: object) => {
    const answer = await call(trellis, hook, body);
    await over(trellis, answer.body.job.id);
    return answer.body;
  };
  const afterPush = (work: () => Promise<object | null>) => () => {
    registry.push('main');
    return work();
  };
  const [changed, unchanged] = [{ outcome: 'CHANGED' }, { outcome: 'UNCHANGED' }];
  for (const [name, work, expected] of [
    ['a first deploy', () => act(trellis, 'deployComponent', web), changed],
    ['a deploy of the same', () => act(trellis, 'deployComponent', web), unchanged],
    ['a deploy after a push', afterPush(() => act(trellis, 'deployComponent', web)), changed],
    ['a restart', afterPush(() => act(trellis, 'restartComponent', web)), changed],
    ['a deploy of all', afterPush(() => deployAll()), changed],
    ['a deploy of the same by a hook', () => called(), unchanged],
    ['another tag by a hook', () => called({ tag: 'next' }), { ...changed, image }],
    ['an update', () => act(trellis, 'updateComponent', web, { deploy: true, image: web.image }), changed],
    ['a plan', () => deployAll({ dryRun: true }), null],
  ] as const) {
    const [count, done] = await transactionsOf<object | null>(work);
    expect(done && { ...done }, name).toEqual(expected && expect.objectContaining(expected));
    expect(count, name).toBe(1);
  }
});

it('an upgrade of many templates and a manifest with new components take two', async () => {
  const upgrades = upgradesOf(trellis);
  const { appId } = await trellis.createApplication({
    team: { teamId: place.teamId },
    region: place.region,
  } as any);
  const keys: string[] = [];
  // Each with an image of its own, which the plan of the one before does not know.
  for (let index = 0; index < 5; index++) {
    const { key } = ringTemplate(1);
    for (const version of ['1.0.0', '2.0.0']) {
      const tag = `t${index}-${version}`;
      registry.push(tag);
      const edit = (app: any) => {
        Object.assign(app, { service_volume_map_list: [], dep_service_map_list: [] });
        app.share_image = `${registry.host}/shop/web:${tag}`;
      };
      const { text: template } = ringTemplate(1, { key, version, edit });
      await trellis.succeed('publishTemplate', { template }, '__typename');
    }
    const [count] = await transactionsOf(() => upgrades.install(appId, key));
    expect(count).toBe(1);
    keys.push(key);
  }
  const input = {
    application: { appId },
    upgrades: keys.map((templateId) => ({ storeName: 'self', templateId, version: '2.0.0' })),
  };
  const selection = 'outcomes { jobs { uid components { nodes { digest } } } }';
  const [planned] = await transactionsOf(() =>
    trellis.succeed('upgradeApplication', { ...input, dryRun: true }, selection),
  );
  expect(planned).toBe(2);
  const [count, { outcomes }] = await transactionsOf(() =>
    trellis.succeed('upgradeApplication', input, selection),
  );
  expect(count).toBe(2);
  const jobs = outcomes.flatMap((outcome: any) => outcome.jobs);
  const digests = jobs.flatMap((job: any) => job.components.nodes.map(({ digest }: any) => digest));
  expect(new Set(digests).size).toBe(5);
  expect(digests).not.toContain(null);
  for (const { uid } of jobs) await over(trellis, uid);

  const application = unique('m');
  const at = { team: { teamId: place.teamId }, region: { regionId: place.region.regionId } };
  const apply = (tags: { [component: string]: string }) => {
    const imageOf = ([name, tag]: [string, string]) => [name, { image: `${registry.host}/shop/web:${tag}` }];
    const components = Object.fromEntries(Object.entries(tags).map(imageOf));
    const document = JSON.stringify({ application, components });
    return transactionsOf(() => trellis.succeed('applyManifest', { ...at, document }, 'job { uid }'));
  };
  const steps: { [component: string]: string }[] = [
    { one: 't0-1.0.0' },
    { one: 't1-1.0.0', two: 't2-1.0.0' },
  ];
  for (const tags of steps) {
    const [runs, { job }] = await apply(tags);
    expect(runs).toBe(2);
    await over(trellis, job.uid);
  }
});
