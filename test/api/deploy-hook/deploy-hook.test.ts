import { describe, expect, it } from 'vitest';
import { call, createHook, hookedComponent } from '../../support/deploy-hooks.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const hooksOf = async (componentId: string, token?: string) => {
  const query = `query($id: String!) { component(by: { componentId: $id }) { deployHooks {
    totalCount nodes { uid name revision createdAt lastUsedAt creator { __typename } component { uid } } } } }`;
  return (await trellis.data(query, { id: componentId }, token)).component.deployHooks;
};

describe('createDeployHook', () => {
  it('gives a URL with a secret, of which only a hash is stored', async () => {
    const scene = await hookedComponent(trellis);
    const { deployHook, url } = await trellis.succeed(
      'createDeployHook',
      { component: { componentId: scene.componentId } },
      'deployHook { uid name } url',
    );
    expect(url).toMatch(new RegExp(`^${trellis.url}/deploy-hooks/${deployHook.uid}/[\\w-]{43}$`));
    expect(deployHook.name).toBe('Deploy hook');
    expect(await hooksOf(scene.componentId)).toEqual({
      totalCount: 1,
      nodes: [
        {
          ...deployHook,
          revision: 1,
          createdAt: expect.any(String),
          lastUsedAt: null,
          creator: { __typename: 'User' },
          component: { uid: scene.componentId },
        },
      ],
    });
    const [row] = await trellis.services.db.deployHook.findManyByKeys({ by: 'id', keys: [deployHook.uid] });
    const secret = url.split('/').at(-1);
    expect(JSON.stringify(row)).not.toContain(secret);
    const { events } = await trellis.data(
      `{ events(objectType: "DeployHook", objectUid: "${deployHook.uid}") { nodes { action objectName changes { field newValue } } } }`,
    );
    expect(events.nodes).toMatchObject([{ action: 'deploy_hook.create', objectName: 'Deploy hook' }]);
    expect(events.nodes[0].changes).toContainEqual({ field: 'hash', newValue: '[redacted]' });
    expect(JSON.stringify(events)).not.toContain(row!.hash);
  });

  it('requires that deploy hooks of the component work', async () => {
    const scene = await hookedComponent(trellis, { opensWebhooks: false });
    const input = { component: { componentId: scene.componentId } };
    expect(await trellis.attempt('createDeployHook', input)).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('`opensWebhooks` is false'),
    });
    expect((await hooksOf(scene.componentId)).totalCount).toBe(0);
  });

  it('gives a component at most 10, also at the same time', async () => {
    const scene = await hookedComponent(trellis);
    for (let count = 0; count < 8; count++) await createHook(trellis, scene);
    const input = { component: { componentId: scene.componentId } };
    const results = await Promise.all(
      Array.from({ length: 4 }, () => trellis.attempt('createDeployHook', input)),
    );
    expect(results.map(({ code }) => code ?? 'made').sort()).toEqual([
      'CONFLICT',
      'CONFLICT',
      'made',
      'made',
    ]);
    expect((await hooksOf(scene.componentId)).totalCount).toBe(10);
  });

  it('requires the rights that the URL gives', async () => {
    const scene = await hookedComponent(trellis);
    const { teamId } = scene.team;
    const component = { componentId: scene.componentId };
    const { token } = await trellis.createMember(teamId, 'DEVELOPER');
    const viewer = await trellis.createMember(teamId, 'VIEWER');
    const outsider = await trellis.createPerson();
    const refusals = [
      [viewer.token, 'FORBIDDEN'],
      [outsider.token, 'NOT_FOUND'],
    ] as const;
    const hook = await createHook(trellis, scene, token);
    const deployHook = { deployHookId: hook.deployHookId };
    for (const [other, code] of refusals) {
      for (const [mutation, input] of [
        ['createDeployHook', { component }],
        ['updateDeployHook', { deployHook, tagPattern: '*' }],
        ['rotateDeployHook', { deployHook }],
        ['deleteDeployHook', { deployHook }],
      ] as const)
        expect(await trellis.attempt(mutation, input, '__typename', other), mutation).toMatchObject({
          code,
        });
    }
    expect((await hooksOf(scene.componentId, viewer.token)).totalCount).toBe(1);
    // Tokens that may manage deploy hooks, but not all of what these do.
    for (const missing of ['UPDATE_COMPONENT', 'DEPLOY_COMPONENT']) {
      const managing = ['CREATE_DEPLOY_HOOK', 'UPDATE_DEPLOY_HOOK', 'ROTATE_DEPLOY_HOOK'];
      const actions = ['UPDATE_COMPONENT', 'DEPLOY_COMPONENT', ...managing];
      const grants = [{ actions: actions.filter((action) => action !== missing) }];
      const narrow = await trellis.succeed('createAccessToken', { name: 'narrow', grants }, 'secret', token);
      const can = `{ component(by: { componentId: "${scene.componentId}" }) { viewerCan(action: CREATE_DEPLOY_HOOK) } }`;
      expect(await trellis.data(can, {}, narrow.secret)).toEqual({ component: { viewerCan: false } });
      expect(await trellis.data(can, {}, token)).toEqual({ component: { viewerCan: true } });
      for (const [mutation, input] of [
        ['createDeployHook', { component }],
        ['updateDeployHook', { deployHook, tagPattern: '*' }],
        ['rotateDeployHook', { deployHook }],
      ] as const)
        expect(await trellis.attempt(mutation, input, '__typename', narrow.secret), missing).toMatchObject({
          code: 'FORBIDDEN',
        });
    }
    expect((await call(trellis, hook)).status).toBe(202);
  });

  it('makes one deploy hook for an Idempotency-Key, and returns its URL again', async () => {
    const scene = await hookedComponent(trellis);
    const request = () =>
      fetch(`${trellis.url}/api/v1/create-deploy-hook`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${trellis.adminToken}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': scene.componentId,
        },
        body: JSON.stringify({ component: { componentId: scene.componentId } }),
      }).then((response) => response.json() as Promise<any>);
    const [first, second] = [await request(), await request()];
    expect(first.url).toContain('/deploy-hooks/');
    expect(second).toEqual(first);
    expect((await hooksOf(scene.componentId)).totalCount).toBe(1);
  });
});

describe('a deploy hook', () => {
  it('has another secret after a rotation, and none after its deletion', async () => {
    const scene = await hookedComponent(trellis);
    const old = await createHook(trellis, scene);
    const deployHook = { deployHookId: old.deployHookId };
    const wrong = await trellis.attempt('rotateDeployHook', { deployHook, expectedRevision: 2 });
    expect(wrong).toMatchObject({ code: 'CONFLICT' });
    expect((await call(trellis, old)).status).toBe(202);
    const { url } = await trellis.succeed(
      'rotateDeployHook',
      { deployHook, expectedRevision: 1 },
      'deployHook { revision } url',
    );
    const fresh = { path: new URL(url).pathname };
    expect(fresh.path).not.toBe(old.path);
    expect((await call(trellis, old)).status).toBe(404);
    expect((await call(trellis, fresh)).status).toBe(202);
    const planned = await trellis.succeed(
      'deleteDeployHook',
      { deployHook, dryRun: true },
      'plan { action name }',
    );
    expect(planned.plan).toEqual([{ action: 'deploy_hook.delete', name: 'pipeline' }]);
    expect((await call(trellis, fresh)).status).toBe(202);
    await trellis.succeed('deleteDeployHook', { deployHook }, '__typename');
    expect((await call(trellis, fresh)).status).toBe(404);
    expect((await hooksOf(scene.componentId)).totalCount).toBe(0);
    expect(await trellis.attempt('deleteDeployHook', { deployHook })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is deleted with its component', async () => {
    const scene = await hookedComponent(trellis);
    const hook = await createHook(trellis, scene);
    const input = { component: { componentId: scene.componentId } };
    const planned = await trellis.succeed(
      'deleteComponent',
      { ...input, dryRun: true },
      'plan { action name }',
    );
    expect(planned.plan).toContainEqual({ action: 'deploy_hook.delete', name: 'pipeline' });
    await trellis.succeed('deleteComponent', input, '__typename');
    expect((await call(trellis, hook)).status).toBe(404);
    const { db } = trellis.services;
    expect(await db.deployHook.findManyByKeys({ by: 'id', keys: [hook.deployHookId] })).toEqual([]);
  });
});
