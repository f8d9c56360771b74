import { expect, it } from 'vitest';
import { desiredComponent } from '../../../src/domain/job/desired-reads.ts';
import { createLoaders } from '../../../src/kernel/batch.ts';
import { queued, useDriver } from '../../support/deploys.ts';
import { apply, exported, plan } from '../../support/manifests.ts';
import { deploy, manifestOf, ref, rollBack } from '../../support/releases.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis({ drivers: [queued] });
const entrypoint = `tini -- 'a "b"'`;

const read = async (componentId: string) => {
  const query =
    'query($by: ComponentRef!) { component(by: $by) { entrypoint command hasUndeployedChanges } }';
  return (await trellis.data(query, { by: { componentId } })).component;
};

it('the entrypoint of a component is what its instances start from the next deploy on', async () => {
  const place = await trellis.createPlace();
  await useDriver(trellis, place.region.regionId, 'queued');
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId, { deploy: true, command: 'serve' });
  const desired = async () =>
    (await desiredComponent({ ...trellis.services, loaders: createLoaders() } as never, componentId))!
      .entrypoint;
  expect(await read(componentId)).toMatchObject({ entrypoint: null });
  await trellis.succeed('updateComponent', { ...ref(componentId), entrypoint }, '__typename');
  expect(await read(componentId)).toEqual({ entrypoint, command: 'serve', hasUndeployedChanges: true });
  expect(await desired()).toBeNull();
  await deploy(trellis, componentId);
  expect(await desired()).toBe(entrypoint);
  const { components } = await manifestOf(trellis, componentId, 2);
  expect(Object.values(components)[0]).toMatchObject({ entrypoint });
  await rollBack(trellis, componentId, 1);
  expect(await desired()).toBeNull();
  await trellis.succeed('updateComponent', { ...ref(componentId), entrypoint }, '__typename');
  await trellis.succeed('updateComponent', { ...ref(componentId), entrypoint: null }, '__typename');
  expect(await read(componentId)).toMatchObject({ entrypoint: null, command: 'serve' });
});

it('the entrypoint of a component is in manifests', async () => {
  const place = await trellis.createPlace();
  const doc = (web: object) => JSON.stringify({ application: 'started', components: { web } });
  const { application } = await apply(trellis, place, doc({ image: 'nginx:1', entrypoint }));
  const { document } = await exported(trellis, application.appId);
  expect((await plan(trellis, place, document)).changes).toEqual([]);
  expect((await plan(trellis, place, doc({ entrypoint: null }))).changes).toMatchObject([
    { fields: [{ field: 'entrypoint', before: entrypoint, after: null }] },
  ]);
});

it('the entrypoint of a component is that of its template, also of one that was published', async () => {
  const { installed, changesOf, store } = upgradesOf(trellis);
  const { appId, key } = await installed(
    1,
    [entrypoint, 'sh'].map((own) => (app: any) => Object.assign(app, { entrypoint: own })),
  );
  const entrypointOf = async (id: number) =>
    (await trellis.data(`{ application(by: { appId: ${id} }) { components { nodes { entrypoint } } } }`))
      .application.components.nodes[0].entrypoint;
  const published = await trellis.succeed(
    'publishApplication',
    { application: { appId }, version: '1', catalogue: 'ENTERPRISE' },
    'template { key }',
  );
  const copy = await trellis.createApplication(await trellis.createPlace());
  const install = { application: { appId: copy.appId }, store: store(), version: '1', deploy: false };
  await trellis.succeed(
    'installApplication',
    { ...install, templateId: published.template.key },
    '__typename',
  );
  expect(await entrypointOf(copy.appId)).toBe(entrypoint);
  await changesOf(appId, key);
  expect(await entrypointOf(appId)).toBe('sh');
});
