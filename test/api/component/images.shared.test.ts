import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, createHook } from '../../support/deploy-hooks.ts';
import { act, createWeb, imagesOf, over, podOf, podsOf } from '../../support/deployed-images.ts';
import { unique } from '../../support/fixtures.ts';
import { type ClusterPlace, createClusterPlace } from '../../support/kubernetes/place.ts';
import { useClusterWorld } from '../../support/kubernetes/world.ts';
import { type RegistryServer, startRegistry } from '../../support/registry-server.ts';

const limits = { callTimeoutMs: 5_000, connectTimeoutMs: 5_000, retryDelaysMs: [] };
const { trellis, server, place } = useClusterWorld(
  {
    jobs: { backoffMaxMs: 100 },
    registry: { limits, digests: { timeoutMs: 5_000, callsPerRegistry: 4 } },
  },
  { place: {} },
);
let registry: RegistryServer;
/** Called by the registry before it answers. */
let onRequest: () => Promise<void> = async () => {};
let isAway = false;
beforeAll(async () => {
  registry = await startRegistry({
    respond(_, response) {
      if (isAway) response.destroy();
      return isAway;
    },
    before: () => onRequest(),
  });
});
afterAll(() => registry?.close());

const short = (digest: string) => digest.slice('sha256:'.length, 'sha256:'.length + 12);

describe('deploys of a tag', { timeout: 120_000 }, () => {
  it('run the digest that it has, and change nothing while it stays', async () => {
    const first = registry.push('main');
    const web = await createWeb(trellis, place, registry, { opensWebhooks: true });
    expect((await imagesOf(trellis, web.componentId)).deployedImage).toBeNull();
    const plan = await trellis.succeed(
      'deployComponent',
      { component: { componentId: web.componentId }, dryRun: true },
      'job { uid } plan { action digest }',
    );
    expect(plan).toMatchObject({ job: null, plan: [{ action: 'component.deploy', digest: first }] });
    const one = await act(trellis, 'deployComponent', web);
    expect(one).toMatchObject({
      outcome: 'CHANGED',
      note: null,
      part: { outcome: 'CHANGED', action: 'APPLY', digest: first, note: null },
    });
    const pod = podOf(place, web.name);
    expect(pod).toMatchObject({ image: `${web.image}@${first}`, pulls: 'IfNotPresent' });
    const asked = registry.requests.filter(({ url }) => url.pathname.endsWith('/main'));
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['HEAD']));

    const again = await act(trellis, 'deployComponent', web);
    const note = `Nothing to change: \`main\` is still ${short(first)}.`;
    expect(again).toMatchObject({
      outcome: 'UNCHANGED',
      note: `${web.name}: ${note}`,
      part: { outcome: 'UNCHANGED', digest: first, note },
      plan: [],
    });
    expect(await imagesOf(trellis, web.componentId)).toMatchObject({
      releaseCount: 1,
      releases: { nodes: [{}] },
    });

    const second = registry.push('main');
    const hook = await createHook(trellis, web);
    const called = await call(trellis, hook);
    expect(called.body).toMatchObject({ image: web.image, outcome: 'CHANGED', digest: second, reason: null });
    await over(trellis, called.body.job.id);
    const next = podOf(place, web.name);
    expect(next.image).toBe(`${web.image}@${second}`);
    expect(next.name).not.toBe(pod.name);
    const unchanged = await call(trellis, hook);
    expect(unchanged.body).toMatchObject({
      job: { status: 'SUCCEEDED' },
      outcome: 'UNCHANGED',
      digest: second,
    });
    expect(unchanged.body.reason).toContain(short(second));

    const third = registry.push('main');
    const images = await imagesOf(trellis, web.componentId, 'hasMoved');
    expect(images).toMatchObject({
      image: web.image,
      releaseCount: 2,
      deployedImage: { reference: web.image, digest: second, hasMoved: true },
      releases: {
        nodes: [
          { number: 2, image: web.image, digest: second },
          { number: 1, digest: first },
        ],
      },
    });
    expect(Date.parse(images.deployedImage.resolvedAt)).toBeGreaterThan(0);

    const { component } = await trellis.data(
      `{ component(by: { componentId: "${web.componentId}" }) { releases { nodes { diff(to: 1) { object name fields { field before after } } } } } }`,
    );
    expect(component.releases.nodes[0].diff).toEqual([
      { object: 'COMPONENT', name: web.name, fields: [{ field: 'digest', before: second, after: first }] },
    ]);

    const back = await act(trellis, 'rollbackComponent', web, { release: 1 });
    expect(back.plan.images).toEqual([{ digest: first }]);
    expect(podOf(place, web.name).image).toBe(`${web.image}@${first}`);
    await act(trellis, 'restartComponent', web);
    expect(podOf(place, web.name).image).toBe(`${web.image}@${first}`);

    expect((await act(trellis, 'deployComponent', web)).part.digest).toBe(third);
    const fourth = registry.push('main');
    expect((await act(trellis, 'restartComponent', web)).part.digest).toBe(fourth);
    expect(podOf(place, web.name).image).toBe(`${web.image}@${fourth}`);
  });

  it('know better than what the registry was asked before', async () => {
    registry.push('edge');
    const web = await createWeb(trellis, place, registry, { tag: 'edge' });
    await act(trellis, 'deployComponent', web);
    const hasMoved = async () =>
      (await imagesOf(trellis, web.componentId, 'hasMoved')).deployedImage.hasMoved;
    expect(await hasMoved()).toBe(false);
    registry.push('edge');
    await act(trellis, 'deployComponent', web);
    expect(await hasMoved()).toBe(false);
  });

  it('change what does not run, and what the cluster does not have as it would be deployed', async () => {
    registry.push('main');
    const [api, web] = [await createWeb(trellis, place, registry), await createWeb(trellis, place, registry)];
    const input = {
      component: { componentId: web.componentId },
      dependency: { componentId: api.componentId },
    };
    await trellis.succeed('addDependency', input, '__typename');
    await act(trellis, 'deployComponent', web);
    await act(trellis, 'stopComponent', web);
    expect(await act(trellis, 'deployComponent', web)).toMatchObject({ outcome: 'CHANGED' });
    expect(await act(trellis, 'deployComponent', web)).toMatchObject({ outcome: 'UNCHANGED' });
    // What a dependency provides is not deployed with the component, and reaches the cluster with its next deploy.
    const variables = { set: [{ name: 'API_KEY', value: 'one', scope: 'CONNECTION' }] };
    await trellis.succeed(
      'setVariables',
      { component: { componentId: api.componentId }, ...variables },
      '__typename',
    );
    expect(await act(trellis, 'deployComponent', web)).toMatchObject({ outcome: 'CHANGED' });
    expect(await act(trellis, 'deployComponent', web)).toMatchObject({ outcome: 'UNCHANGED' });
    const setVariable = async (value: string) => {
      const set = [{ name: 'A', value }];
      await trellis.succeed(
        'setVariables',
        { component: { componentId: web.componentId }, set },
        '__typename',
      );
    };
    await setVariable('b');
    expect(await act(trellis, 'deployComponent', web)).toMatchObject({ outcome: 'CHANGED' });
    const hasChanges = async () => {
      const query = `{ component(by: { componentId: "${web.componentId}" }) { hasUndeployedChanges } }`;
      return (await trellis.data(query)).component.hasUndeployedChanges;
    };
    await setVariable('c');
    await setVariable('b');
    expect(await hasChanges()).toBe(true);
    expect(await act(trellis, 'deployComponent', web)).toMatchObject({ outcome: 'UNCHANGED' });
    expect(await hasChanges()).toBe(false);
  });

  it('name the digests of an application, in the plan of its manifest as well', async () => {
    const own = await createClusterPlace(trellis, server, { teamId: place.teamId });
    const digest = registry.push('main');
    const name = unique('m');
    const image = `${registry.host}/shop/web:main`;
    const document = JSON.stringify({
      application: name,
      components: { web: { image, replicas: 1 }, worker: { image, replicas: 1 } },
    });
    const input = { team: { teamId: own.teamId }, region: { regionId: own.region.regionId }, document };
    const fields =
      'application { appId: uid } job { uid outcome components { nodes { outcome } } } plan { images { component reference digest note } }';
    const images = ['web', 'worker'].map((component) => ({
      component,
      reference: image,
      digest,
      note: null,
    }));
    const planned = await trellis.succeed('applyManifest', { ...input, dryRun: true }, fields);
    expect(planned.plan.images).toEqual(images);
    const applied = await trellis.succeed('applyManifest', input, fields);
    expect(applied.plan.images).toEqual(images);
    await over(trellis, applied.job.uid);
    const all = await trellis.succeed('applyManifest', { ...input, deploy: 'ALL' }, fields);
    const outcomes = { nodes: [{ outcome: 'UNCHANGED' }, { outcome: 'UNCHANGED' }] };
    expect(all.job).toMatchObject({ outcome: 'UNCHANGED', components: outcomes });
    const note = `Nothing to change: \`main\` is still ${short(digest)}.`;
    expect(all.plan.images).toEqual(images.map((each) => ({ ...each, note })));

    const at = new Date().toISOString();
    const moved = registry.push('main');
    const application = { appId: applied.application.appId };
    const job = 'job { uid outcome components { nodes { digest } } }';
    const later = await trellis.succeed('deployApplication', { application }, job);
    expect(later.job).toMatchObject({ outcome: 'CHANGED', components: { nodes: [{ digest: moved }, {}] } });
    await over(trellis, later.job.uid);
    const back = await trellis.succeed('rollbackApplication', { application, at }, job);
    expect(back.job.components.nodes).toEqual([{ digest }, { digest }]);
    await over(trellis, back.job.uid);
  });

  it('are asked for while others plan', async () => {
    registry.push('main');
    const planned = async (image: string, token?: string) => {
      const document = JSON.stringify({ application: unique('app'), components: { web: { image } } });
      const { planManifest } = await trellis.data(
        'query ($team: TeamRef!, $region: RegionRef!, $document: String!) { planManifest(team: $team, region: $region, document: $document) { images { digest } } }',
        { team: { teamId: place.teamId }, region: { regionId: place.region.regionId }, document },
        token,
      );
      return planManifest.images;
    };
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let count = 0;
    const both = new Promise<void>((resolve) => {
      onRequest = async () => {
        if (++count === 2) resolve();
        await held;
      };
    });
    const image = `${registry.host}/shop/web:main`;
    const slow = [];
    for (let index = 0; index < 2; index++) {
      const { token } = await trellis.createMember(place.teamId, 'DEVELOPER');
      slow.push(planned(image, token));
    }
    await both;
    expect(await planned(`${image}@sha256:${'0'.repeat(64)}`)).toEqual([
      { digest: `sha256:${'0'.repeat(64)}` },
    ]);
    letGo();
    onRequest = async () => {};
    for (const images of await Promise.all(slow)) expect(images).toEqual([{ digest: expect.any(String) }]);
  });

  it('are asked for outside of transactions', async () => {
    registry.push('main');
    const web = await createWeb(trellis, place, registry);
    let writes = 0;
    onRequest = async () => {
      onRequest = async () => {};
      // Waits for no lock of the deploy.
      const change = { component: { componentId: web.componentId }, description: 'changed meanwhile' };
      await trellis.succeed('updateComponent', change, '__typename');
      writes++;
    };
    expect(await act(trellis, 'deployComponent', web)).toMatchObject({ outcome: 'CHANGED' });
    expect(writes).toBe(1);
  });
});

describe('deploys while the registry cannot be asked', { timeout: 120_000 }, () => {
  it('pull a tag that moves with new instances, and say that the digest is not known', async () => {
    const digest = registry.push('main');
    const web = await createWeb(trellis, place, registry);
    await act(trellis, 'deployComponent', web);
    isAway = true;
    const away = await act(trellis, 'deployComponent', web);
    expect(away).toMatchObject({ outcome: 'CHANGED', part: { action: 'RESTART', digest: null } });
    expect(away.part.note).toMatch(/^The digest of `main` is not known\. The registry cannot be reached/);
    expect(away.part.note).toMatch(/New instances pull the image\.$/);
    const first = podOf(place, web.name);
    expect(first).toMatchObject({ image: web.image, pulls: 'Always' });
    await act(trellis, 'deployComponent', web);
    const second = podOf(place, web.name);
    expect(second.name).not.toBe(first.name);
    await act(trellis, 'restartComponent', web);
    const third = podOf(place, web.name);
    expect(third).toMatchObject({ image: web.image, pulls: 'Always' });
    expect(third.name).not.toBe(second.name);
    expect(await imagesOf(trellis, web.componentId, 'hasMoved')).toMatchObject({
      deployedImage: { reference: web.image, digest: null, resolvedAt: null, hasMoved: null },
    });
    isAway = false;
    // The digest is known again, and instances need not pull any more.
    expect(await act(trellis, 'restartComponent', web)).toMatchObject({ part: { digest } });
    expect(podOf(place, web.name)).toMatchObject({ image: `${web.image}@${digest}`, pulls: 'IfNotPresent' });
  });

  it('keep the instances of a version, and the digest that it had', async () => {
    const digest = registry.push('1.28');
    const web = await createWeb(trellis, place, registry, { tag: '1.28' });
    await act(trellis, 'deployComponent', web);
    const [pod] = podsOf(place, web.name);
    isAway = true;
    const away = await act(trellis, 'deployComponent', web);
    // Plans do not wait for a registry that has just failed.
    const asked = registry.requests.length;
    const dryRun = { component: { componentId: web.componentId }, dryRun: true };
    const planned = await trellis.succeed('deployComponent', dryRun, 'plan { digest }');
    expect(planned.plan).toEqual([{ digest }]);
    expect(registry.requests.length).toBe(asked);
    isAway = false;
    expect(away).toMatchObject({ outcome: 'CHANGED', part: { action: 'APPLY', digest } });
    expect(away.part.note).toContain(`The image is still that of \`1.28\` with the digest ${short(digest)}.`);
    expect(podsOf(place, web.name).map(({ metadata }) => metadata.uid)).toEqual([pod.metadata.uid]);
  });
});

describe('plans', { timeout: 120_000 }, () => {
  const planOf = async (
    token: string,
    { teamId, region }: ClusterPlace,
    { application, image }: { application: string; image: string },
  ) => {
    const document = JSON.stringify({ application, components: { web: { image, replicas: 1 } } });
    const query = `{ planManifest(team: { teamId: "${teamId}" }, region: { regionId: "${region.regionId}" }, document: ${JSON.stringify(document)}) { changes { action } images { component reference digest note } } }`;
    return (await trellis.data(query, {}, token)).planManifest;
  };

  it('of those who may not deploy ask no registry, and no cluster', async () => {
    const digest = registry.push('main');
    const image = `${registry.host}/shop/web:main`;
    const own = await createClusterPlace(trellis, server);
    const [viewer, developer] = [
      await trellis.createMember(own.teamId, 'VIEWER'),
      await trellis.createMember(own.teamId, 'DEVELOPER'),
    ];
    const asked = registry.requests.length;
    const planned = { application: unique('m'), image };
    expect(await planOf(viewer.token, own, planned)).toEqual({
      changes: expect.arrayContaining([{ action: 'CREATE' }]),
      images: [
        {
          component: 'web',
          reference: image,
          digest: null,
          note: 'The digest of `main` is not known. Trellis only asks registries for callers who can deploy. New instances pull the image.',
        },
      ],
    });
    expect(registry.requests.length).toBe(asked);
    expect((await planOf(developer.token, own, planned)).images).toMatchObject([{ digest, note: null }]);
    expect(registry.requests.length).toBeGreaterThan(asked);
  });

  it('of one team do not tell another that its registry has failed', async () => {
    const digest = registry.push('main');
    const image = `${registry.host}/shop/web:main`;
    const other = await createClusterPlace(trellis, server);
    const [mine, theirs] = [
      await trellis.createMember(place.teamId, 'DEVELOPER'),
      await trellis.createMember(other.teamId, 'DEVELOPER'),
    ];
    const planned = { application: unique('m'), image };
    isAway = true;
    expect((await planOf(mine.token, place, planned)).images).toMatchObject([{ digest: null }]);
    isAway = false;
    expect((await planOf(theirs.token, other, planned)).images).toMatchObject([{ digest }]);
  });
});
