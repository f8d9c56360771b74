import { describe, expect, it } from 'vitest';
import { call, componentRow, createHook, hookedComponent } from '../../support/deploy-hooks.ts';
import { queued, useDriver } from '../../support/deploys.ts';
import { otherEvents, registries } from '../../support/registry-payloads.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });

/** A component in a region that carries out jobs, with a deploy hook. */
async function scene(image: string, tagPattern?: string) {
  const component = await hookedComponent(trellis, { image, deploy: true });
  await useDriver(trellis, component.region.regionId, 'queued');
  return { ...component, hook: await createHook(trellis, component, undefined, { tagPattern }) };
}

describe.each(Object.entries(registries))('a push to %s', (_, { call: callOf, host, repository }) => {
  const name = `${host}/${repository}`;

  it('deploys the component with the image, and nothing else', async () => {
    const { hook, componentId } = await scene(`${name}:main`);
    const push = (change: object) => {
      const { body, headers } = callOf({ host, repository, tag: 'main', ...change });
      return call(trellis, hook, body, headers);
    };
    const unchanged = (reason: string) => ({
      status: 200,
      body: { job: null, outcome: 'UNCHANGED', reason: expect.stringContaining(reason) },
    });
    expect(await push({})).toMatchObject({
      status: 202,
      body: { job: { status: 'PENDING' }, image: `${name}:main` },
    });
    expect(await push({ tag: 'dev' })).toMatchObject(unchanged('the tag dev was pushed'));
    expect(await push({ repository: 'acme/other' })).toMatchObject(unchanged(`and not ${name}`));
    expect(await push({ tag: '' })).toMatchObject(unchanged('no tag of an image'));
    expect(await componentRow(trellis, componentId)).toMatchObject({
      image: `${name}:main`,
      updateVersion: 2,
    });
  });

  it('deploys the tags that the pattern of the deploy hook has', async () => {
    const { hook, componentId } = await scene(`${name}:v1.0`, 'v1.*');
    for (const [tag, status] of [
      ['v1.1', 202],
      ['v2.0', 200],
      ['v1.2-rc.1', 202],
      ['latest', 200],
    ] as const) {
      const { body, headers } = callOf({ host, repository, tag });
      expect((await call(trellis, hook, body, headers)).status, tag).toBe(status);
    }
    expect(await componentRow(trellis, componentId)).toMatchObject({
      image: `${name}:v1.2-rc.1`,
      version: 'v1.2-rc.1',
      updateVersion: 3,
      hasUndeployedChanges: false,
    });
  });
});

describe('a deploy hook', () => {
  it('says that there is nothing to do for other events', async () => {
    const { hook, componentId } = await scene('harbor.example/shop/web:main');
    const before = await componentRow(trellis, componentId);
    for (const [name, { body, headers }] of Object.entries(otherEvents)) {
      expect(await call(trellis, hook, body, headers), name).toMatchObject({
        status: 200,
        body: { outcome: 'UNCHANGED', reason: 'Nothing to deploy: no tag of an image was pushed.' },
      });
    }
    expect(await componentRow(trellis, componentId)).toEqual(before);
  });

  it('knows the image of a component in all its spellings', async () => {
    const push = { host: 'docker.io', repository: 'library/nginx', tag: 'latest' };
    const { body, headers } = registries['Docker Hub']!.call(push);
    for (const [image, status] of [
      ['nginx', 202],
      ['index.docker.io/library/nginx:latest', 202],
      ['nginx:1.29', 200],
      // What is pinned stays pinned, unless the deploy hook has a pattern.
      [`nginx@sha256:${'b'.repeat(64)}`, 200],
      ['registry.example/library/nginx', 200],
    ] as const) {
      const { hook } = await scene(image);
      expect((await call(trellis, hook, body, headers)).status, image).toBe(status);
    }
    const pinned = await scene(`nginx@sha256:${'b'.repeat(64)}`, '*');
    expect((await call(trellis, pinned.hook, body, headers)).body.image).toBe('nginx:latest');
  });

  it('leaves a stopped component stopped, which has the image with its next deploy', async () => {
    const { hook, componentId } = await scene('harbor.example/shop/web:v1.0', 'v*');
    await trellis.succeed('stopComponent', { component: { componentId } }, '__typename');
    const { body, headers } = registries.Harbor!.call({
      host: 'harbor.example',
      repository: 'shop/web',
      tag: 'v1.1',
    });
    expect(await call(trellis, hook, body, headers)).toMatchObject({
      status: 200,
      body: { job: null, outcome: 'UNCHANGED', image: 'harbor.example/shop/web:v1.1' },
    });
    expect(await componentRow(trellis, componentId)).toMatchObject({
      deployState: 'closed',
      hasUndeployedChanges: true,
    });
  });

  it('refuses forms and JSON that no registry sends, and changes nothing', async () => {
    const { hook, componentId } = await scene('harbor.example/shop/web:main');
    const before = await componentRow(trellis, componentId);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const harbor = (resources: unknown) =>
      JSON.stringify({ type: 'PUSH_ARTIFACT', event_data: { resources } });
    for (const [body, headers, status] of [
      ['tag=1', form, 400],
      ['payload=%7B', form, 400],
      [`payload=${'x'.repeat(70_000)}`, form, 413],
      [JSON.stringify({ tag: 'x'.repeat(70_000) }), {}, 413],
      [JSON.stringify({ push_data: { tag: 1 }, repository: {} }), {}, 400],
      [JSON.stringify({ events: { length: 1 } }), {}, 400],
      [harbor([{ resource_url: 1, tag: 'main' }]), {}, 400],
      [harbor(Array.from({ length: 1_500 }, () => ({}))), {}, 400],
      [JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, key) => [key, 0]))), {}, 400],
      // Names that are none of an image.
      [harbor([{ resource_url: 'harbor.example/../shop/web:main', tag: 'main' }]), {}, 200],
      [harbor([{ resource_url: 'harbor.example/shop/web', tag: 'a b' }]), {}, 200],
    ] as const) {
      const answer = await call(trellis, hook, body, headers);
      expect(answer.status, body.slice(0, 100)).toBe(status);
    }
    expect(await componentRow(trellis, componentId)).toEqual(before);
    // The own JSON for another repository is a mistake of a pipeline.
    expect((await call(trellis, hook, { image: 'harbor.example/shop/other:main' })).status).toBe(400);
  });

  it('follows a pattern that is changed, without another URL', async () => {
    const { hook } = await scene('harbor.example/shop/web:v1.0', 'v1.*');
    const push = async (tag: string) => {
      const { body, headers } = registries.Harbor!.call({
        host: 'harbor.example',
        repository: 'shop/web',
        tag,
      });
      return (await call(trellis, hook, body, headers)).status;
    };
    const update = async (input: object) => {
      const named = { deployHook: { deployHookId: hook.deployHookId }, ...input };
      const selection = 'deployHook { name tagPattern revision }';
      return (await trellis.succeed('updateDeployHook', named, selection)).deployHook;
    };
    expect(await push('v2.0')).toBe(200);
    const changed = { name: 'pipeline', tagPattern: 'v2.*', revision: 2 };
    expect(await update({ tagPattern: 'v2.*' })).toEqual(changed);
    expect(await push('v2.0')).toBe(202);
    expect(await update({})).toEqual(changed);
    expect(await update({ name: 'harbor' })).toEqual({ ...changed, name: 'harbor', revision: 3 });
    expect(await update({ tagPattern: null, expectedRevision: 3 })).toMatchObject({ tagPattern: null });
    expect([await push('v2.1'), await push('v2.0')]).toEqual([200, 202]);
    const stale = { deployHook: { deployHookId: hook.deployHookId }, tagPattern: '*', expectedRevision: 3 };
    expect(await trellis.attempt('updateDeployHook', stale)).toMatchObject({ code: 'CONFLICT' });
    const { events } = await trellis.data(
      `{ events(objectType: "DeployHook", objectUid: "${hook.deployHookId}", action: "deploy_hook.update") { totalCount } }`,
    );
    expect(events.totalCount).toBe(3);
  });

  it('refuses a pattern that no tag can have', async () => {
    const component = await hookedComponent(trellis);
    await expect(createHook(trellis, component, undefined, { tagPattern: 'a/b' })).rejects.toThrow(
      'tagPattern',
    );
    const { deployHookId } = await createHook(trellis, component);
    const wrong = { deployHook: { deployHookId }, tagPattern: '' };
    expect(await trellis.attempt('updateDeployHook', wrong, '__typename')).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});
