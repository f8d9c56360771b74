import { describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { send } from '../../support/send.ts';
import { type StoreServer, sendJson, startStoreServer, storeKey } from '../../support/store-server.ts';
import { ringTemplate } from '../../support/templates.ts';
import { startTrellis, type Trellis, useTrellis } from '../../support/trellis.ts';

// However slow the machine, nothing that is cached expires.
const trellis = useTrellis({ store: { sharing: { cacheMs: 3_600_000 } } });

/** A store that offers any template, and holds its answers to questions for versions until it is let go. */
async function startHeldStore() {
  let [underWay, most, isHeld] = [0, 0, true];
  const held: (() => void)[] = [];
  const arrived: (() => void)[] = [];
  const versions = ['1.0.0', '2.0.0'];
  const store = await startStoreServer((request, response) => {
    const [, key, version] = /apps\/([^/?]+)\/versions(?:\/([^/?]+))?/.exec(request.url!)!;
    if (version) {
      const { text } = ringTemplate(1, { key: key!, version });
      return sendJson(response, { appKeyID: key, version, template: text });
    }
    most = Math.max(most, ++underWay);
    let isDone = false;
    const done = () => {
      if (!isDone) underWay--;
      isDone = true;
    };
    response.once('close', done);
    const answer = () => {
      done();
      sendJson(response, { versions: versions.map((appVersion) => ({ appVersion })) });
    };
    if (isHeld) held.push(answer);
    else answer();
    for (const tell of arrived.splice(0)) tell();
  });
  return {
    ...store,
    versions,
    most: () => most,
    underWay: () => underWay,
    /** Questions for versions. */
    asked: () => store.requests.filter(({ path }) => /\/versions\?/.test(path)).length,
    /** Resolves when the next question has come. */
    next: () => new Promise<void>((resolve) => arrived.push(resolve)),
    letGo: () => {
      isHeld = false;
      for (const answer of held.splice(0)) answer();
    },
  };
}

/** An application with templates of a store installed, without the store being asked. */
async function install(
  place: Place,
  store: StoreServer,
  templates: number,
  of: Trellis = trellis,
): Promise<number> {
  const { appId } = await of.createApplication(place);
  const { services } = of;
  const prefix = unique('template');
  await services.db.transaction(async (tx) => {
    const now = new Date();
    const where = { teamId: place.team.teamId, url: store.url, domain: 'held' };
    const connection = await tx.storeConnection.upsert({
      where: { teamId_url_domain: where },
      create: {
        ...where,
        name: 'held',
        sealedAccessKey: services.seal.close(storeKey),
        createdAt: now,
        updatedAt: now,
      },
      update: {},
    });
    const group = {
      applicationId: appId,
      name: 'Ring',
      templateVersion: '1.0.0',
      storeId: connection.id,
      createdAt: now,
    };
    await tx.componentGroup.createMany({
      data: Array.from({ length: templates }, (_, index) => ({ ...group, templateId: `${prefix}-${index}` })),
    });
  });
  return appId;
}

const report = (appId: number, of: Trellis = trellis, token?: string) =>
  of.data(`{ application(by: { appId: ${appId} }) { upgrades { canUpgrade upgradeVersions } } }`, {}, token);

describe('calls to app stores', () => {
  it('run at most two at a time per team, and are cached for a while', async () => {
    const store = await startHeldStore();
    const appId = await install(await trellis.createPlace(), store, 20);
    const first = report(appId);
    await store.next();
    store.letGo();
    const { application } = await first;
    expect(application.upgrades).toHaveLength(20);
    expect(application.upgrades.every(({ canUpgrade }: { canUpgrade: boolean }) => canUpgrade)).toBe(true);
    expect(store.most()).toBeLessThanOrEqual(2);
    expect(store.asked()).toBe(20);
    await report(appId);
    expect(store.asked()).toBe(20);
    await store.close();
  });

  it('of one member leave the other one of the team to its other members', async () => {
    const [slow, store] = [await startHeldStore(), await startHeldStore()];
    const place = await trellis.createPlace();
    const [many, one] = [await install(place, slow, 5), await install(place, store, 1)];
    const { token } = await trellis.createMember(place.team.teamId, 'VIEWER');
    const first = report(many);
    await slow.next();
    const second = trellis.data(
      `{ application(by: { appId: ${one} }) { upgrades { canUpgrade } } }`,
      {},
      token,
    );
    await store.next();
    expect(slow.asked()).toBe(1);
    for (const each of [store, slow]) each.letGo();
    expect((await second).application.upgrades).toEqual([{ canUpgrade: true }]);
    expect((await first).application.upgrades).toHaveLength(5);
    for (const each of [store, slow]) await each.close();
  });

  it('that go on after an install count as those of its caller', async () => {
    const [slow, store] = [await startHeldStore(), await startHeldStore()];
    const place = await trellis.createPlace();
    const [many, one] = [await install(place, slow, 5), await install(place, store, 1)];
    const { token } = await trellis.createMember(place.team.teamId, 'VIEWER');
    const { appId } = await trellis.createApplication(place);
    const installing = {
      application: { appId },
      store: { url: slow.url, domain: 'held', accessKey: storeKey },
      templateId: unique('template'),
      version: '1.0.0',
    };
    await trellis.succeed('installApplication', installing, '__typename');
    expect(slow.underWay()).toBe(1);
    const first = report(many);
    const second = report(one, trellis, token);
    await store.next();
    expect(slow.asked()).toBe(1);
    for (const each of [store, slow]) each.letGo();
    await Promise.all([first, second]);
    for (const each of [store, slow]) await each.close();
  });

  it('are made again once the cached versions have expired', async () => {
    const impatient = await startTrellis({ store: { sharing: { cacheMs: 20 } } });
    const store = await startHeldStore();
    store.letGo();
    try {
      const appId = await install(await impatient.createPlace(), store, 1, impatient);
      const offered = async () => (await report(appId, impatient)).application.upgrades[0].upgradeVersions;
      expect(await offered()).toEqual(['2.0.0']);
      expect(store.asked()).toBe(1);
      store.versions.push('3.0.0');
      await expect.poll(offered).toEqual(['2.0.0', '3.0.0']);
      expect(store.asked()).toBe(2);
    } finally {
      await store.close();
      await impatient.close();
    }
  });

  it('run at most eight at a time for all teams', async () => {
    const store = await startHeldStore();
    const { token } = await trellis.createPerson({ isAdministrator: true });
    const asking: (() => Promise<unknown>)[] = [];
    for (let index = 0; index < 6; index++) {
      const place = await trellis.createPlace();
      // One caller has one call of a team.
      for (const by of [undefined, token]) {
        const appId = await install(place, store, 3);
        asking.push(() => report(appId, trellis, by));
      }
    }
    const eighth = until(store, 8);
    const reports = asking.map((ask) => ask());
    await eighth;
    expect(store.underWay()).toBe(8);
    store.letGo();
    await Promise.all(reports);
    expect(store.most()).toBe(8);
    expect(store.asked()).toBe(36);
    await store.close();
  });

  it('are shared by concurrent requests for the same data', async () => {
    const store = await startHeldStore();
    const appId = await install(await trellis.createPlace(), store, 1);
    const arrived = store.next();
    const reports = Array.from({ length: 10 }, () => report(appId));
    await arrived;
    store.letGo();
    await Promise.all(reports);
    expect(store.asked()).toBe(1);
    await store.close();
  });

  it('are retried after a failure', async () => {
    let isBroken = true;
    const store = await startStoreServer((_, response) =>
      isBroken ? response.writeHead(404).end() : sendJson(response, { versions: [{ appVersion: '3.0.0' }] }),
    );
    const appId = await install(await trellis.createPlace(), store, 1);
    const canUpgrade = `{ application(by: { appId: ${appId} }) { upgrades { canUpgrade } } }`;
    expect((await trellis.data(canUpgrade)).application.upgrades).toEqual([{ canUpgrade: false }]);
    isBroken = false;
    expect((await trellis.data(canUpgrade)).application.upgrades).toEqual([{ canUpgrade: true }]);
    await store.close();
  });

  it('are cancelled when the client disconnects, along with the queued ones', async () => {
    const store = await startHeldStore();
    const appId = await install(await trellis.createPlace(), store, 20);
    const first = until(store, 1);
    const leaving = new AbortController();
    const request = fetch(`${trellis.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${trellis.adminToken}` },
      body: JSON.stringify({
        query: `{ application(by: { appId: ${appId} }) { upgrades { canUpgrade } } }`,
      }),
      signal: leaving.signal,
    });
    await first;
    leaving.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(() => store.underWay()).toBe(0);
    expect(store.asked()).toBe(1);
    await store.close();
  });

  it('are made for an upgrade to a version newer than the cached one', async () => {
    const store = await startHeldStore();
    store.letGo();
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    const { key } = ringTemplate(1);
    await trellis.succeed(
      'installApplication',
      {
        application: { appId },
        store: { url: store.url, domain: 'held', accessKey: storeKey },
        templateId: key,
        version: '1.0.0',
      },
      'group { uid }',
    );
    expect((await report(appId)).application.upgrades).toEqual([
      { canUpgrade: true, upgradeVersions: ['2.0.0'] },
    ]);
    store.versions.push('3.0.0');
    expect((await report(appId)).application.upgrades[0].upgradeVersions).toEqual(['2.0.0']);
    const upgrade = (version: string) =>
      trellis.attempt(
        'upgradeApplication',
        { application: { appId }, upgrades: [{ storeName: 'held', templateId: key, version }] },
        'outcomes { toVersion }',
      );
    expect(await upgrade('4.0.0')).toMatchObject({ code: 'CONFLICT' });
    expect(await upgrade('3.0.0')).toMatchObject({ outcomes: [{ toVersion: '3.0.0' }] });
    await store.close();
  });
});

describe('Component.isUpgradable', () => {
  it('is true when the last response of the store listed a newer version', async () => {
    const store = await startHeldStore();
    store.letGo();
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place);
    await trellis.createComponent(appId);
    const { key } = ringTemplate(1);
    await trellis.succeed(
      'installApplication',
      {
        application: { appId },
        store: { url: store.url, domain: 'held', accessKey: storeKey },
        templateId: key,
        version: '1.0.0',
      },
      'group { uid }',
    );
    const at = `/openapi/v1/teams/${place.team.teamId}/regions/${place.region.name}/apps/${appId}`;
    /** Of the component from the template and the one made by hand, on both surfaces. */
    const shown = async () => {
      const { application } = await trellis.data(
        `{ application(by: { appId: ${appId} }) { components { nodes { group { uid } isUpgradable } } } }`,
      );
      const { body } = await send(trellis, { path: `${at}/services` });
      const of = (isInstalled: boolean) => [
        ...application.components.nodes
          .filter(({ group }: any) => (group !== null) === isInstalled)
          .map(({ isUpgradable }: any) => isUpgradable),
        ...body
          .filter((each: any) => each.tenant_service_group_id > 0 === isInstalled)
          .map((each: any) => each.is_upgrate),
      ];
      return { installed: of(true), created: of(false) };
    };
    await expect
      .poll(shown, { timeout: 60_000 })
      .toEqual({ installed: [true, true], created: [false, false] });
    await trellis.succeed(
      'upgradeApplication',
      {
        application: { appId },
        upgrades: [{ storeName: 'held', templateId: key, version: '2.0.0' }],
      },
      'outcomes { toVersion }',
    );
    expect(await shown()).toEqual({ installed: [false, false], created: [false, false] });
    await store.close();
    const report = await send(trellis, { path: `${at}/upgrade` });
    expect(report).toMatchObject({ status: 200, body: [{ current_version: '2.0.0', can_upgrade: false }] });
  });
});

/** Resolves when as many questions are under way. */
async function until(store: Awaited<ReturnType<typeof startHeldStore>>, count: number): Promise<void> {
  while (store.underWay() < count) await store.next();
}
