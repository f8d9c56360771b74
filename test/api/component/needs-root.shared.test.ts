import { describe, expect, it } from 'vitest';
import type { Place } from '../../support/fixtures.ts';
import { apply, exported, tryApply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';
import { upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();

const state = 'needsRoot hasUndeployedChanges desiredState';
const read = async (componentId: string) =>
  (await trellis.data(`{ component(by: { componentId: "${componentId}" }) { ${state} } }`)).component;
const allowRoot = (place: Place, allowsRoot: boolean) =>
  trellis.succeed(
    'updateRegion',
    { region: { regionId: place.region.regionId }, allowsRoot },
    'region { allowsRoot }',
  );
const doc = (name: string, component: object) =>
  JSON.stringify({ application: name, components: { web: component } });

describe('components that need root', () => {
  it('are those that say so, from the next deploy on', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const plain = await trellis.createComponent(appId, { deploy: true });
    expect(await read(plain.componentId)).toMatchObject({ needsRoot: false });
    const root = await trellis.createComponent(appId, { needsRoot: true, deploy: true });
    expect(await read(root.componentId)).toMatchObject({ needsRoot: true, hasUndeployedChanges: false });
    const component = { componentId: plain.componentId };
    await trellis.succeed('updateComponent', { component, needsRoot: true }, '__typename');
    expect(await read(plain.componentId)).toMatchObject({ needsRoot: true, hasUndeployedChanges: true });
    await trellis.succeed('deployComponent', { component }, '__typename');
    await trellis.succeed('updateComponent', { component, needsRoot: false, deploy: true }, '__typename');
    await trellis.succeed('rollbackComponent', { component, release: 2 }, '__typename');
    expect(await read(plain.componentId)).toMatchObject({ needsRoot: true, hasUndeployedChanges: false });
  });

  it('are refused where the region does not allow them, and those from before only when they are deployed', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const options = { needsRoot: true, deploy: true };
    const { componentId } = await trellis.createComponent(appId, options);
    const component = { componentId };
    expect((await allowRoot(place, false)).region).toEqual({ allowsRoot: false });
    const refusal = {
      __typename: 'InvalidInputError',
      issues: [
        { path: ['input', 'needsRoot'], message: expect.stringMatching(/^Must not be true in the region/) },
      ],
    };
    const input = { application: { appId }, name: 'x', image: 'nginx:1', needsRoot: true };
    expect(await trellis.attempt('createComponent', input)).toMatchObject(refusal);
    const other = await trellis.createComponent(appId, { deploy: true });
    const change = { component: { componentId: other.componentId }, needsRoot: true };
    expect(await trellis.attempt('updateComponent', change)).toMatchObject(refusal);
    expect(await read(other.componentId)).toMatchObject({ needsRoot: false, hasUndeployedChanges: false });

    for (const mutation of ['restartComponent', 'stopComponent', 'startComponent']) {
      await trellis.succeed(mutation, { component }, '__typename');
    }
    expect(await trellis.attempt('deployComponent', { component })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/cannot be deployed, because it needs root, which the region/),
    });
    expect(await read(componentId)).toMatchObject({ needsRoot: true, desiredState: 'RUNNING' });
    await trellis.succeed('updateComponent', { component, needsRoot: false, deploy: true }, '__typename');
    expect(await read(componentId)).toMatchObject({ needsRoot: false, hasUndeployedChanges: false });
  });

  it('are in manifests', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, doc('shop', { image: 'nginx:1' }));
    const shown = async () => (await exported(trellis, application.appId)).document;
    expect(await shown()).not.toContain('needsRoot');
    await apply(trellis, place, doc('shop', { image: 'nginx:1', needsRoot: true }));
    expect(await shown()).toContain('needsRoot: true');
    // What is absent is not managed.
    await apply(trellis, place, doc('shop', { image: 'nginx:2' }));
    expect(await shown()).toContain('needsRoot: true');
    await apply(trellis, place, doc('shop', { needsRoot: null }));
    expect(await shown()).not.toContain('needsRoot');
    await allowRoot(place, false);
    expect(await tryApply(trellis, place, doc('shop', { needsRoot: true }))).toMatchObject({
      issues: [
        {
          path: ['input', 'document', 'components', 'web', 'needsRoot'],
          message: expect.stringMatching(/: set it to false, and use an image that runs as another user/),
        },
      ],
    });
  });

  it('are those of templates, unless these or the region say otherwise', async () => {
    const { installed, store } = upgradesOf(trellis);
    const says = [undefined, false, true];
    const { appId } = await installed(3, [
      (app: any, index: number) => Object.assign(app, { needs_root: says[index] }),
    ]);
    const needs = async (id: number) =>
      Object.fromEntries(
        (
          await trellis.data(
            `{ application(by: { appId: ${id} }) { components(first: 9) { nodes { name needsRoot } } } }`,
          )
        ).application.components.nodes.map(({ name, needsRoot }: any) => [name, needsRoot]),
      );
    expect(await needs(appId)).toEqual({ 'part-0': true, 'part-1': false, 'part-2': true });
    const published = await trellis.succeed(
      'publishApplication',
      { application: { appId }, version: '1', catalogue: 'ENTERPRISE' },
      'template { key }',
    );
    const install = async (place: Place) => {
      const { appId: id } = await trellis.createApplication(place);
      const { omitted } = await trellis.succeed(
        'installApplication',
        {
          application: { appId: id },
          store: store(),
          templateId: published.template.key,
          version: '1',
          deploy: true,
        },
        'omitted { component path }',
      );
      const left = omitted.filter(({ path }: any) => path.endsWith('.needs_root'));
      return { needs: await needs(id), left: left.map(({ component }: any) => component).sort() };
    };
    expect(await install(await trellis.createPlace())).toEqual({ needs: await needs(appId), left: [] });
    const strict = await trellis.createPlace();
    await allowRoot(strict, false);
    expect(await install(strict)).toEqual({
      needs: { 'part-0': false, 'part-1': false, 'part-2': false },
      left: ['part-0', 'part-2'],
    });
  });
});
