import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply, tryApply } from '../../support/manifests.ts';
import { close, open, tryOpen } from '../../support/previews.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';
import { createWebhook } from '../../support/webhooks.ts';

const trellis = useTrellis({ limits: { changeObjects: 40 } });

const document = (application: string, ports: number, image = 'nginx:1') =>
  `application: ${application}\ncomponents: { web: { image: "${image}", ports: { ${Array.from({ length: ports }, (_, index) => `${index + 1}: { protocol: tcp }`).join(', ')} } } }`;

/** How many transactions work has, and how many values are encrypted while one is open. */
async function transactionsOf(work: () => Promise<unknown>) {
  const { db, seal } = trellis.services;
  const { transaction } = db;
  const { close } = seal;
  const count = { transactions: 0, encrypted: 0 };
  let isOpen = false;
  db.transaction = (within, ...rest) => {
    count.transactions++;
    isOpen = true;
    return transaction(within, ...rest).finally(() => {
      isOpen = false;
    });
  };
  seal.close = (text) => {
    if (isOpen) count.encrypted++;
    return close.call(seal, text);
  };
  await work().finally(() => {
    db.transaction = transaction;
    seal.close = close;
  });
  return count;
}

describe('a change', () => {
  const exceeded = 'The request exceeds the limit of 40 objects in one change.';

  it('has a limited number of objects, and so has its dry run', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    const begun = await transactionsOf(async () => {
      for (const dryRun of [true, false]) {
        await expect(tryApply(trellis, place, document(name, 33), { dryRun })).rejects.toThrow(exceeded);
      }
    });
    expect(begun).toEqual({ transactions: 0, encrypted: 0 });
    // A component counts eight.
    await apply(trellis, place, document(name, 32));
    // Those that are there do not count.
    await apply(trellis, place, document(name, 64, 'nginx:2'));
    await expect(tryApply(trellis, place, document(name, 97))).rejects.toThrow(exceeded);
  });

  it('writes a limited amount of text, however few objects have it', async () => {
    const place = await trellis.createPlace();
    const { appId } = await trellis.createApplication(place, unique('app'));
    const fileContent = 'x'.repeat(100_000);
    const volumes = [{ name: 'file', path: '/file', type: 'config-file', fileContent }];
    await trellis.createComponent(appId, { name: 'web', volumes });
    const copy = () =>
      trellis.attempt('copyApplication', { application: { appId }, name: unique('copy') }, '__typename');
    expect(await copy()).not.toHaveProperty('code');
    const { componentId } = await trellis.createComponent(appId, { name: 'api' });
    await trellis.succeed('addVolume', { component: { componentId }, ...volumes[0] }, '__typename');
    await expect(copy()).rejects.toThrow(exceeded);
  });

  it('of a preview leaves it so small that another one can close it', async () => {
    const place = await trellis.createPlace();
    const written = document(unique('app'), 1).replace('\n', '\npreviews: {}\n');
    const { application } = await apply(trellis, place, written);
    const input = { application: { appId: application.appId as number }, key: 'a' };
    const variables = (from: number) =>
      Array.from({ length: 25 }, (_, index) => ({ component: 'web', name: `V${from + index}`, value: 'x' }));
    await open(trellis, { ...input, variables: variables(0) });
    await open(trellis, { ...input, variables: variables(25) });
    await expect(tryOpen(trellis, { ...input, variables: variables(50) })).rejects.toThrow(
      'The request exceeds the limit of 40 objects in one change, with what the preview has.',
    );
    await close(trellis, input.application.appId, 'a');
  });

  it('moves a limited number of objects into another namespace', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    await apply(trellis, place, document(name, 32), { deploy: 'NONE' });
    const { application } = await apply(trellis, place, document(name, 33), { deploy: 'NONE' });
    const move = (isolation: string) =>
      trellis.attempt(
        'updateApplication',
        { application: { appId: application.appId }, isolation },
        'application { isolation }',
      );
    await expect(move('TEAM')).rejects.toThrow(exceeded);
    // It stays where it is.
    expect(await move('OWN')).toMatchObject({ application: { isolation: 'OWN' } });
    await apply(trellis, place, document(name, 32), {
      deploy: 'NONE',
      prune: 'OWNED',
      allowsDestruction: true,
    });
    expect(await move('TEAM')).toMatchObject({ application: { isolation: 'TEAM' } });
  });

  it('deploys a limited number of components that have not changed', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    const written = (components: readonly string[]) =>
      `application: ${name}\ncomponents: { ${components.map((each) => `${each}: { image: nginx }`).join(', ')} }`;
    await apply(trellis, place, written(['a', 'b', 'c']));
    const { application } = await apply(trellis, place, written(['d', 'e', 'f']));
    const at = new Date();
    const found = await trellis.services.db.component.findManyByKeys({
      by: 'applicationId',
      keys: [application.appId],
      fields: ['id'],
    });
    const rollback = () =>
      trellis.attempt('rollbackApplication', { application: { appId: application.appId }, at, dryRun: true });
    expect(await rollback()).not.toHaveProperty('code');
    for (const { id: componentId } of found) {
      for (const change of [{ set: [{ name: 'A', value: 'x' }] }, { remove: [{ name: 'A' }] }])
        await trellis.succeed('setVariables', { component: { componentId }, ...change }, '__typename');
    }
    await expect(rollback()).rejects.toThrow(exceeded);
  });

  it('compares the names of a limited number of volumes', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    const written = (component: string, volumes: readonly string[]) =>
      JSON.stringify({
        application: name,
        components: {
          [component]: {
            image: 'nginx',
            clusterName: component,
            volumes: Object.fromEntries(
              volumes.map((each) => [each, { path: `/${each}`, type: 'share-file' }]),
            ),
          },
        },
      });
    const data = Array.from({ length: 25 }, (_, index) => `data-${index}`);
    await apply(trellis, place, written('one', data), { deploy: 'NONE' });
    const { application } = await apply(trellis, place, written('two', data), { deploy: 'NONE' });
    const refused = `${exceeded.slice(0, -1)}, with the volumes of its components.`;
    for (const dryRun of [true, false]) {
      const input = { application: { appId: application.appId }, dryRun };
      await expect(trellis.attempt('deployApplication', input)).rejects.toThrow(refused);
      // Claims of both components could have its name.
      const met = tryApply(trellis, place, written('web', ['one-two-data']), { dryRun });
      await expect(met).rejects.toThrow(refused);
      await expect(
        tryApply(trellis, place, written('web', ['two-data']), { dryRun }),
      ).resolves.not.toHaveProperty('code');
    }
  });

  it('deletes a limited number of objects', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    await apply(trellis, place, document(name, 32));
    const { application } = await apply(trellis, place, document(name, 33));
    const [component] = await trellis.services.db.component.findManyByKeys({
      by: 'applicationId',
      keys: [application.appId],
      fields: ['id'],
    });
    const owned = { prune: 'OWNED', allowsDestruction: true };
    const begun = await transactionsOf(async () => {
      for (const dryRun of [true, false]) {
        const input = { dryRun, force: true };
        for (const [mutation, on] of [
          ['deleteApplication', { application: { appId: application.appId } }],
          ['deleteComponent', { component: { componentId: component!.id } }],
        ] as const) {
          await expect(trellis.attempt(mutation, { ...on, ...input })).rejects.toThrow(exceeded);
        }
        const empty = `application: ${name}\ncomponents: {}`;
        await expect(tryApply(trellis, place, empty, { ...owned, dryRun })).rejects.toThrow(exceeded);
      }
    });
    expect(begun.transactions).toBe(0);
    await apply(trellis, place, document(name, 20), owned);
    await trellis.succeed(
      'deleteApplication',
      { application: { appId: application.appId }, force: true },
      '__typename',
    );
  });

  it('of a template is limited as well', async () => {
    const { installed, upgrade } = upgradesOf(trellis);
    await expect(installed(8, [() => {}])).rejects.toThrow(exceeded);
    const more: Edit = (app) => {
      for (let index = 0; index < 100; index++)
        app.service_env_map_list.push({ attr_name: `V${index}`, attr_value: 'x', is_change: true });
    };
    const { appId, key } = await installed(2, [() => {}, more]);
    for (const dryRun of [true, false]) {
      await expect(upgrade(appId, key, '2.0.0', dryRun)).rejects.toThrow(exceeded);
    }
  });

  it('counts a variable once if it changes, and half if it is new or deleted', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    const variables = (count: number, value: string) =>
      JSON.stringify({
        application: name,
        components: {
          web: {
            image: 'nginx',
            variables: Object.fromEntries(Array.from({ length: count }, (_, index) => [`V${index}`, value])),
          },
        },
      });
    await expect(tryApply(trellis, place, variables(65, 'one'))).rejects.toThrow(exceeded);
    await apply(trellis, place, variables(33, 'one'));
    await expect(tryApply(trellis, place, variables(33, 'two'))).rejects.toThrow(exceeded);
    await apply(trellis, place, variables(32, 'two'));
  });

  it('counts the messages to webhooks, and so does its dry run', async () => {
    const place = await trellis.createPlace();
    for (const events of [['*'], ['port.*'], ['job.*']])
      await createWebhook(trellis, place.team.teamId, { events });
    const refused = `${exceeded.slice(0, -1)}, with its messages to webhooks.`;
    const large = document(unique('app'), 30);
    for (const dryRun of [true, false]) {
      await expect(tryApply(trellis, place, large, { dryRun })).rejects.toThrow(refused);
    }
    const { application } = await apply(trellis, place, document(unique('app'), 18));
    await expect(apply(trellis, await trellis.createPlace(), large)).resolves.toMatchObject({});
    const more = { application: { appId: application.appId }, force: true };
    expect(await trellis.attempt('deleteApplication', more)).toMatchObject({
      __typename: 'DeleteApplicationPayload',
    });
  });

  it('encrypts secrets before its transaction, and so does its dry run', async () => {
    const place = await trellis.createPlace();
    const secrets = (value: string) =>
      JSON.stringify({
        application: 'secret',
        components: { web: { image: 'nginx', variables: { A: { value, isSecret: true } } } },
      });
    const of = (value: string, dryRun: boolean) =>
      transactionsOf(() => tryApply(trellis, place, secrets(value), { dryRun, deploy: 'NONE' }));
    for (const value of ['one', 'two']) {
      for (const dryRun of [true, false]) {
        expect(await of(value, dryRun)).toEqual({ transactions: 1, encrypted: 0 });
      }
    }
  });
});
