import { beforeAll, describe, expect, it } from 'vitest';
import { ringTemplate } from '../../support/templates.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const trellis = useTrellis();
let { installed, install, upgrade, componentsOf } = {} as ReturnType<typeof upgradesOf>;
beforeAll(async () => {
  ({ installed, install, upgrade, componentsOf } = upgradesOf(trellis));
});

const same: Edit = () => {};
const payload = 'template { uid } version { version isEnabled }';

const templateOf = async (key: string) => {
  const { templates } = await trellis.data(
    `{ templates(search: "${key}") { nodes { uid versions { nodes { version isEnabled } } } } }`,
  );
  return templates.nodes[0];
};
const reported = async (appId: number) =>
  (await trellis.data(`{ application(by: { appId: ${appId} }) { upgrades { upgradeVersions } } }`))
    .application.upgrades[0].upgradeVersions;
const served = async (key: string, path = '') => {
  const response = await fetch(`${trellis.url}/app-server/openapi/apps/${key}${path}`, {
    headers: { authorization: trellis.adminToken },
  });
  const { versions } = (await response.json()) as any;
  return { status: response.status, versions: versions?.map(({ appVersion }: any) => appVersion) };
};

describe('the newest version of a template', () => {
  it('is the enabled one with the highest number, in whatever order they were published', async () => {
    const { key } = await installed(1, [same]);
    const { uid } = await templateOf(key);
    const published = ['9.0.0', '10.0.0-rc.1', '10.0.0', '2.5.0', '10.0.0-rc.2'];
    for (const version of published)
      await trellis.succeed('publishTemplate', { template: ringTemplate(1, { key, version }).text }, payload);
    const read = async () => {
      const { template } = await trellis.data(
        `{ template(by: { templateId: ${uid} }) { newestVersion { version }
          versions(orderBy: { field: CREATED_AT, direction: DESC }) { nodes { version } }
          disabled: versions(isEnabled: false) { totalCount nodes { version } } } }`,
      );
      return {
        newest: template.newestVersion?.version ?? null,
        versions: template.versions.nodes.map(({ version }: any) => version),
        disabled: template.disabled.nodes.map(({ version }: any) => version),
      };
    };
    const versions = ['1.0.0', ...published].reverse();
    expect(await read()).toEqual({ newest: '10.0.0', versions, disabled: [] });
    const disable = (version: string) =>
      trellis.succeed('disableTemplateVersion', { template: { templateId: uid }, version }, '__typename');
    await disable('10.0.0');
    expect(await read()).toEqual({ newest: '10.0.0-rc.2', versions, disabled: ['10.0.0'] });
    for (const version of versions.filter((each) => each !== '10.0.0')) await disable(version);
    expect((await read()).newest).toBeNull();
  });
});

describe('a template with the most versions', () => {
  it('offers them all in order, and gets another one only in place of one', async () => {
    const { key, appId } = await installed(1, [same]);
    const { uid } = await templateOf(key);
    const { db } = trellis.services;
    const [row] = await db.publishedVersion.findManyByKeys({ by: 'templateId', keys: [uid] });
    const { id: _, ...data } = row!;
    const versions = Array.from({ length: 1_999 }, (_, index) => `${index + 2}.${'0'.repeat(57)}`);
    await db.transaction((tx) =>
      tx.publishedVersion.createMany({ data: versions.map((version) => ({ ...data, version })) }),
    );
    const { versions: offered } = await served(key, '/versions');
    expect(offered).toEqual(['1.0.0', ...versions]);
    trellis.services.drivers.store.forget?.();
    expect(await reported(appId)).toEqual(versions);

    const publish = (version: string) =>
      trellis.attempt('publishTemplate', { template: ringTemplate(1, { key, version }).text }, payload);
    expect(await publish('3000.0.0')).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('2000 versions'),
    });
    // A version that exists is replaced.
    expect((await publish('1.0.0')).code).toBeUndefined();
    const of = { template: { templateId: uid }, version: versions[0] };
    await trellis.succeed('deleteTemplateVersion', of, '__typename');
    expect((await publish('3000.0.0')).code).toBeUndefined();
    expect((await publish('3001.0.0')).code).toBe('CONFLICT');
  });
});

describe('disableTemplateVersion', () => {
  it('hides a version at once from the store and the upgrade report, until it is enabled again', async () => {
    const { key, appId } = await installed(1, [same, same, same]);
    const { uid } = await templateOf(key);
    const input = { template: { templateId: uid }, version: '3.0.0' };
    expect(await reported(appId)).toEqual(['2.0.0', '3.0.0']);

    const { version } = await trellis.succeed('disableTemplateVersion', input, payload);
    expect(version).toEqual({ version: '3.0.0', isEnabled: false });
    expect(await reported(appId)).toEqual(['2.0.0']);
    expect((await served(key)).versions).toEqual(['1.0.0', '2.0.0']);
    expect((await served(key, '/versions')).versions).toEqual(['1.0.0', '2.0.0']);
    expect((await served(key, '/versions/3.0.0')).status).toBe(404);
    expect((await upgrade(appId, key, '3.0.0')).code).toBe('CONFLICT');

    await trellis.succeed('enableTemplateVersion', input, payload);
    expect(await reported(appId)).toEqual(['2.0.0', '3.0.0']);
    expect((await upgrade(appId, key, '3.0.0')).message).toBeUndefined();
  });

  it('leaves what is installed as it is, and records one event', async () => {
    const { key, appId } = await installed(1, [same]);
    const { uid } = await templateOf(key);
    const before = await componentsOf(appId);
    const input = { template: { templateId: uid }, version: '1.0.0' };
    for (let time = 0; time < 2; time++) await trellis.succeed('disableTemplateVersion', input, payload);
    expect(await componentsOf(appId)).toEqual(before);
    await expect(install(appId, key)).rejects.toThrow(/STORE_REFUSED/);
    const { events } = await trellis.data(
      `{ events(objectType: "Template", objectUid: "${uid}") { nodes { action changes { field before: oldValue after: newValue } } } }`,
    );
    expect(events.nodes.map(({ action }: any) => action)).toEqual([
      'template.disable_version',
      'template.publish',
    ]);
    expect(events.nodes[0].changes).toEqual([
      { field: 'enabledVersion', before: '1.0.0', after: null },
      { field: 'disabledVersion', before: null, after: '1.0.0' },
    ]);
  });
});

describe('deleteTemplateVersion', () => {
  it('deletes a version, and the template with the last one', async () => {
    const { key, appId } = await installed(1, [same, same]);
    const { uid } = await templateOf(key);
    const remove = (version: string, dryRun = false) =>
      trellis.attempt(
        'deleteTemplateVersion',
        { template: { templateId: uid }, version, dryRun },
        `${payload} plan { action objectType name }`,
      );
    const counts = await trellis.counts();
    const planned = await remove('2.0.0', true);
    expect(await trellis.counts()).toEqual(counts);
    expect(planned.plan).toEqual([
      { action: 'template.delete_version', objectType: 'Template', name: 'Ring of 1 2.0.0' },
    ]);
    expect((await remove('2.0.0')).plan).toEqual(planned.plan);
    expect(await reported(appId)).toEqual([]);
    expect((await served(key)).versions).toEqual(['1.0.0']);
    expect(await remove('2.0.0')).toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no such version of the template.',
    });

    const last = await remove('1.0.0', true);
    expect(last.plan.map(({ action }: any) => action)).toEqual([
      'template.delete_version',
      'template.delete',
    ]);
    expect(await remove('1.0.0')).toEqual(last);
    expect(await templateOf(key)).toBeUndefined();
    expect((await served(key)).status).toBe(404);
    expect((await remove('1.0.0')).message).toBe('There is no such template.');
    expect(await componentsOf(appId)).toHaveLength(1);
    const { application } = await trellis.data(
      `{ application(by: { appId: ${appId} }) { upgrades { canUpgrade currentVersion } } }`,
    );
    expect(application.upgrades).toEqual([{ canUpgrade: false, currentVersion: '1.0.0' }]);
    // The key can be used again.
    await trellis.succeed(
      'publishTemplate',
      { template: ringTemplate(1, { key, version: '4.0.0' }).text },
      'template { uid }',
    );
    expect(await reported(appId)).toEqual(['4.0.0']);
  });

  it('and the others are for administrators of the enterprise', async () => {
    const { key } = await installed(1, [same]);
    const { uid } = await templateOf(key);
    const person = await trellis.createPerson();
    const { administrator } = await trellis.createEnterprise();
    const input = { template: { templateId: uid }, version: '1.0.0' };
    for (const mutation of ['disableTemplateVersion', 'enableTemplateVersion', 'deleteTemplateVersion']) {
      const codeFor = async (token: string) =>
        (await trellis.attempt(mutation, input, '__typename', token)).code;
      expect(await codeFor(person.token)).toBe('FORBIDDEN');
      expect(await codeFor(administrator.token)).toBe('NOT_FOUND');
    }
  });
});
