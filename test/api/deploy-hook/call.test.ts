import { describe, expect, it } from 'vitest';
import { call, componentRow, createHook, hookedComponent } from '../../support/deploy-hooks.ts';
import { jobsOf, queued, useDriver } from '../../support/deploys.ts';
import { refsOf } from '../../support/fixtures.ts';
import { once } from '../../support/once.ts';
import { send } from '../../support/send.ts';
import { startTrellis, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued], http: { tokenUseMs: 0 } });

/** A component in a region that carries out jobs, with a deploy hook. */
async function scene(options: object = {}) {
  const component = await hookedComponent(trellis, {
    image: 'registry.example:5000/shop/web:1.0',
    ...options,
  });
  await useDriver(trellis, component.region.regionId, 'queued');
  return { ...component, hook: await createHook(trellis, component) };
}

const eventsOf = async (componentId: string, actions: string[]) => {
  const { component } = await trellis.data(
    `query($id: String!) { component(by: { componentId: $id }) { events(first: 20) { nodes {
      action tokenId deployHookId deployHook { uid name } actor { __typename } user { uid } changes { field oldValue newValue } } } } }`,
    { id: componentId },
  );
  return component.events.nodes.filter(({ action }: { action: string }) => actions.includes(action));
};

describe('POST to a deploy hook', () => {
  it('deploys the component as it is, without a body', async () => {
    const { hook, appId, componentId } = await scene();
    const answer = await call(trellis, hook);
    const [job, ...others] = await jobsOf(trellis, appId);
    expect(others).toEqual([]);
    expect(answer).toMatchObject({
      status: 202,
      body: { job: { id: job!.id, status: 'PENDING' }, image: 'registry.example:5000/shop/web:1.0' },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(job).toMatchObject({ kind: 'deploy', userId: null, serviceAccountId: null });
    expect(await componentRow(trellis, componentId)).toMatchObject({
      deployState: 'running',
      updateVersion: 1,
      hasUndeployedChanges: false,
    });
    // The same with a body that asks for nothing.
    expect((await call(trellis, hook, {})).status).toBe(202);
    expect((await call(trellis, hook, { image: null, tag: null })).status).toBe(202);
  });

  it.each([
    ['a tag', { tag: '1.1-rc.1' }, 'registry.example:5000/shop/web:1.1-rc.1', '1.1-rc.1'],
    [
      'an image with a tag',
      { image: 'registry.example:5000/shop/web:2' },
      'registry.example:5000/shop/web:2',
      '2',
    ],
    [
      'an image with a digest',
      { image: `registry.example:5000/shop/web@sha256:${'a'.repeat(64)}` },
      `registry.example:5000/shop/web@sha256:${'a'.repeat(64)}`,
      'latest',
    ],
  ])('sets the image to %s, and deploys it', async (_, body, image, version) => {
    const { hook, componentId } = await scene();
    const answer = await call(trellis, hook, body);
    expect(answer).toMatchObject({ status: 202, body: { image, job: { status: 'PENDING' } } });
    expect(await componentRow(trellis, componentId)).toMatchObject({
      image,
      version,
      deployState: 'running',
      hasUndeployedChanges: false,
    });
  });

  it('sets a tag instead of a digest', async () => {
    const { hook } = await scene({ image: `nginx:1.28@sha256:${'b'.repeat(64)}` });
    expect((await call(trellis, hook, { tag: '1.29' })).body.image).toBe('nginx:1.29');
    // Names of the same repository in other words.
    expect((await call(trellis, hook, { image: 'docker.io/library/nginx:1.30' })).status).toBe(202);
  });

  once.each([
    ['of another repository', { image: 'registry.example:5000/shop/other:1.0' }, 'image'],
    ['of another registry', { image: 'registry.example/shop/web:1.0' }, 'image'],
    ['that is none', { image: 'Registry Example' }, 'image'],
    ['with a tag that is none', { tag: 'a/b' }, 'tag'],
    ['with a tag and an image', { tag: '1', image: 'registry.example:5000/shop/web:1' }, 'tag'],
    ['with an unknown field', { replicas: 3 }, 'replicas'],
    ['that is a number', { image: 1 }, 'image'],
  ])('refuses an image %s, and changes nothing', async (_, body, field) => {
    const { hook, componentId, appId } = await scene();
    const before = await componentRow(trellis, componentId);
    const answer = await call(trellis, hook, body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', issues: [{ path: [field] }] },
    });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(await componentRow(trellis, componentId)).toEqual(before);
    expect(await jobsOf(trellis, appId)).toEqual([]);
  });

  once('refuses bodies that are no JSON or too large', async () => {
    const { hook } = await scene();
    const json = { 'Content-Type': 'application/json' };
    expect((await call(trellis, hook, '{', json)).status).toBe(400);
    expect((await call(trellis, hook, '[]', json)).status).toBe(400);
    expect((await call(trellis, hook, 'null', json)).status).toBe(400);
    expect((await call(trellis, hook, 'tag=1', { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await call(trellis, hook, JSON.stringify({ tag: 'x'.repeat(70_000) }))).status).toBe(413);
  });

  once('answers other methods with 405', async () => {
    const { hook } = await scene();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const answer = await send(trellis, { method, path: hook.path, token: null });
      expect([answer.status, answer.headers.allow], method).toEqual([405, 'POST']);
    }
  });

  it('answers an unknown id and a wrong secret alike', async () => {
    const { hook, appId } = await scene();
    const other = await scene();
    const secret = hook.path.split('/').at(-1)!;
    const paths = [
      hook.path.slice(0, -1),
      `/deploy-hooks/${hook.deployHookId}/`,
      `/deploy-hooks/${hook.deployHookId}`,
      `/deploy-hooks/${'0'.repeat(32)}/${secret}`,
      `/deploy-hooks/${other.hook.deployHookId}/${secret}`,
      `${hook.path}/more`,
      '/deploy-hooks/',
    ];
    const answers = await Promise.all(paths.map((path) => call(trellis, { path })));
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect({ ...body, requestId: '' }).toEqual({ ...answers[0]!.body, requestId: '' });
    }
    expect(answers[0]!.body).toMatchObject({ code: 'NOT_FOUND' });
    expect(await jobsOf(trellis, appId)).toEqual([]);
  });

  it('works only while `opensWebhooks` is true', async () => {
    const { hook, componentId, appId } = await scene();
    const component = { componentId };
    await trellis.succeed('updateComponent', { component, opensWebhooks: false }, '__typename');
    expect(await call(trellis, hook)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', detail: expect.stringContaining('`opensWebhooks` is false') },
    });
    expect(await jobsOf(trellis, appId)).toEqual([]);
    await trellis.succeed('updateComponent', { component, opensWebhooks: true }, '__typename');
    expect((await call(trellis, hook)).status).toBe(202);
  });

  it('is refused beyond the quota, and in a region that is not enabled', async () => {
    const { hook, region, team, componentId } = await scene({ memoryMiB: 1_024 });
    const place = refsOf({ team, region });
    await trellis.succeed('setTeamQuota', { ...place, memoryQuotaMiB: 512 }, '__typename');
    expect(await call(trellis, hook, { tag: '2' })).toMatchObject({
      status: 409,
      body: { code: 'QUOTA_EXCEEDED' },
    });
    expect((await componentRow(trellis, componentId)).image).toContain(':1.0');
    await trellis.succeed('setTeamQuota', { ...place, memoryQuotaMiB: 0 }, '__typename');
    await trellis.succeed('updateRegion', { region: place.region, status: 'DISABLED' }, '__typename');
    const closed = await call(trellis, hook);
    expect(closed.status).toBe(409);
    await trellis.succeed('updateRegion', { region: place.region, status: 'ENABLED' }, '__typename');
    expect((await call(trellis, hook)).status).toBe(202);
  });

  it('is recorded as the deploy hook, and sets its last use', async () => {
    const { hook, componentId } = await scene();
    await call(trellis, hook, { tag: '1.1' });
    const uid = hook.deployHookId;
    const by = { deployHookId: uid, deployHook: { uid, name: 'pipeline' } };
    const made = await eventsOf(componentId, ['component.update', 'component.deploy']);
    expect(made).toMatchObject([
      { action: 'component.deploy', ...by },
      { action: 'component.update', ...by },
    ]);
    for (const event of made) expect(event).toMatchObject({ tokenId: null, actor: null, user: null });
    expect(made[1].changes).toContainEqual({
      field: 'image',
      oldValue: 'registry.example:5000/shop/web:1.0',
      newValue: 'registry.example:5000/shop/web:1.1',
    });
    const lastUse = async () =>
      (await trellis.services.db.deployHook.findManyByKeys({ by: 'id', keys: [uid] }))[0]!.lastUsedAt;
    await expect.poll(lastUse, { timeout: 60_000 }).toBeInstanceOf(Date);
  });

  it('deploys once for an Idempotency-Key', async () => {
    const { hook, appId } = await scene();
    const headers = { 'Idempotency-Key': 'build-17' };
    const first = await call(trellis, hook, { tag: '1.1' }, headers);
    const second = await call(trellis, hook, { tag: '1.1' }, headers);
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await jobsOf(trellis, appId)).toHaveLength(1);
    expect(await call(trellis, hook, { tag: '1.2' }, headers)).toMatchObject({ status: 409 });
    // Another deploy hook has keys of its own.
    const other = await scene();
    expect((await call(trellis, other.hook, { tag: '1.2' }, headers)).status).toBe(202);
  });

  it('may do nothing else', async () => {
    const { hook } = await scene();
    const secret = hook.path.split('/').at(-1)!;
    for (const token of [secret, hook.path, `${hook.deployHookId}/${secret}`]) {
      const { body } = await send(trellis, { body: '{"query":"{ viewer { __typename } }"}', token });
      expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
  });

  it('leaves no secret in the log', async () => {
    const { hook } = await scene();
    await call(trellis, hook);
    await call(trellis, { path: `/prefix${hook.path}` });
    await call(trellis, { path: `${hook.path}/more?x=${hook.path}` });
    await send(trellis, { method: 'GET', path: hook.path, token: null });
    const secret = hook.path.split('/').at(-1)!;
    const lines = trellis.logged.filter(({ path }) => path?.includes(hook.deployHookId));
    expect(new Set(lines.map(({ path }) => path))).toEqual(
      new Set([
        `/deploy-hooks/${hook.deployHookId}/[redacted]`,
        `/prefix/deploy-hooks/${hook.deployHookId}/[redacted]`,
      ]),
    );
    expect(lines).toHaveLength(4);
    expect(JSON.stringify(trellis.logged)).not.toContain(secret);
  });
});

describe('wrong URLs of deploy hooks', () => {
  once('count as failed authentications of the address', async () => {
    const strict = await startTrellis({ http: { failedAuthenticationsPerMinute: 3 } });
    try {
      const component = await hookedComponent(strict);
      const hook = await createHook(strict, component);
      for (let count = 0; count < 3; count++)
        expect((await call(strict, { path: `${hook.path.slice(0, -2)}zz` })).status).toBe(404);
      const refused = await call(strict, { path: '/deploy-hooks/x/y' });
      expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      // The right URL is none of them.
      expect((await call(strict, hook)).status).toBe(202);
    } finally {
      await strict.close();
    }
  });

  once('uses of the deploy hooks of an application are limited like those of one user', async () => {
    const strict = await startTrellis({ http: { requestsPerSecond: 0.1, requestBurst: 12 } });
    try {
      const component = await hookedComponent(strict);
      const hooks = [];
      for (let count = 0; count < 3; count++) hooks.push(await createHook(strict, component));
      const answers = [];
      for (const hook of hooks.flatMap((each) => Array(12).fill(each))) {
        answers.push(await call(strict, hook, { tag: 'x', image: 'y' }));
      }
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(12);
      expect(refused[0]).toMatchObject({
        body: { detail: 'Too many requests of the deploy hooks of this application. Try again later.' },
      });
    } finally {
      await strict.close();
    }
  });

  once('uses of one deploy hook are limited', async () => {
    const strict = await startTrellis({ http: { requestsPerSecond: 1, requestBurst: 10 } });
    try {
      const component = await hookedComponent(strict);
      const hook = await createHook(strict, component);
      const answers = await Promise.all(Array.from({ length: 30 }, () => call(strict, hook)));
      const refused = answers.filter(({ status }) => status !== 202);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThan(30);
      expect(refused[0]).toMatchObject({
        status: 429,
        body: { detail: 'Too many requests of this deploy hook. Try again later.' },
      });
    } finally {
      await strict.close();
    }
  });
});
