import { describe, expect, it } from 'vitest';
import { unique } from '../../support/fixtures.ts';
import { apply, plan, tryApply, tryPlan } from '../../support/manifests.ts';
import { transactionsOf as transactionsIn } from '../../support/transactions.ts';
import { useTrellis } from '../../support/trellis.ts';
import { type Edit, upgradesOf } from '../../support/upgrades.ts';

const planObjects = 50;

const trellis = useTrellis({ limits: { planObjects } });

/** As YAML, whose aliases say it in few characters. */
const ports = (application: string, count: number, components = 1) => `
application: ${application}
components:
  one:
    image: nginx
    ports: &ports { ${Array.from({ length: count }, (_, index) => `${index + 1}: { protocol: tcp }`).join(', ')} }
${Array.from({ length: components - 1 }, (_, index) => `  more-${index}: { image: nginx, ports: *ports }`).join('\n')}
`;

const transactionsOf = (work: () => Promise<unknown>) => transactionsIn(trellis, work);

const readOnly = () => trellis.succeed('createAccessToken', { name: 'reader', isReadOnly: true }, 'secret');

const isLock = (text: string) => /FOR (NO KEY )?UPDATE/.test(text);

describe('a plan', () => {
  it('of more objects than a plan may change is refused before it has a transaction', async () => {
    const place = await trellis.createPlace();
    const viewer = await trellis.createMember(place.team.teamId, 'VIEWER');
    const options = { token: viewer.token };
    const fits = ports(unique('app'), planObjects - 3, 1);
    expect((await plan(trellis, place, fits, options)).changes.length).toBe(planObjects - 1);
    const transactions = await transactionsOf(async () => {
      for (const components of [2, 40]) {
        const { error } = await tryPlan(trellis, place, ports(unique('app'), 40, components), options);
        expect(error).toMatchObject({
          message: `The request exceeds the limit of ${planObjects} objects in a plan without the right to make its changes.`,
          extensions: { code: 'LIMIT_EXCEEDED' },
        });
      }
    });
    expect(transactions).toEqual([]);
  });

  it('locks no row, and reads the application before its transaction', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    await apply(trellis, place, ports(name, 3));
    const statementsOf = async (document: string) => {
      const [statements, ...others] = await transactionsOf(() => plan(trellis, place, document));
      expect(others).toEqual([]);
      expect(statements!.filter(isLock)).toEqual([]);
      expect(
        statements!.filter((text) => /FROM "environment_variable"/.test(text)).length,
      ).toBeLessThanOrEqual(1);
      return statements!.length;
    };
    const few = await statementsOf(ports(name, 4));
    expect(await statementsOf(ports(name, 20))).toBe(few);
    expect(few).toBeLessThan(25);
    expect(await transactionsOf(() => plan(trellis, place, ports(name, 3)))).toEqual([]);
  });

  it('is made again when the application has changed meanwhile', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    const { application } = await apply(trellis, place, ports(name, 1));
    const { db } = trellis.services;
    const { transaction } = db;
    const note = unique('note');
    let isChanged = false;
    db.transaction = async (work, ...rest) => {
      if (!isChanged) {
        isChanged = true;
        const input = { application: { appId: application.appId }, note };
        expect(await trellis.attempt('updateApplication', input)).toMatchObject({
          __typename: 'UpdateApplicationPayload',
        });
      }
      return transaction(work, ...rest);
    };
    const { changes } = await plan(trellis, place, `${ports(name, 2)}note: other`).finally(() => {
      db.transaction = transaction;
    });
    const fields = changes.find(({ object }) => object === 'APPLICATION')?.fields;
    expect(fields).toMatchObject([{ field: 'note', before: note, after: 'other' }]);
  });
});

describe('a dry run', () => {
  it('of an apply changes nothing, and is limited for those who may not apply it', async () => {
    const place = await trellis.createPlace();
    const name = unique('app');
    const counts = await trellis.counts();
    expect(await tryApply(trellis, place, ports(name, 10), { dryRun: true })).toMatchObject({
      application: null,
      job: null,
      plan: { changes: { length: 12 } },
    });
    expect(await trellis.counts()).toEqual(counts);
    const large = ports(name, planObjects);
    const { secret } = await readOnly();
    await expect(tryApply(trellis, place, large, { dryRun: true }, secret)).rejects.toThrow(
      'without the right to make its changes',
    );
    const { error } = await tryPlan(trellis, place, large, { token: secret });
    expect(error).toMatchObject({ extensions: { code: 'LIMIT_EXCEEDED' } });
    // Others would wait for the apply as long.
    for (const { changes } of [
      (await tryApply(trellis, place, large, { dryRun: true })).plan,
      await plan(trellis, place, large),
    ]) {
      expect(changes.length).toBe(planObjects + 2);
    }
    await apply(trellis, place, large);
  });

  it('of a rollback or a promotion reads before its transaction', async () => {
    const place = await trellis.createPlace();
    const deployed = async (image: string, name = unique('app')) => {
      const components = { one: { image, variables: { MODE: image } } };
      const document = JSON.stringify({ application: name, components });
      return (await apply(trellis, place, document)).application;
    };
    const { appId, name } = await deployed('nginx:1');
    const at = new Date().toISOString();
    await deployed('nginx:2', name);
    const other = await deployed('nginx:3');
    const [component] = await trellis.services.db.component.findManyByKeys({
      by: 'applicationId',
      keys: [appId],
      fields: ['id'],
    });
    const of = { componentId: component!.id };
    const changes: [string, object][] = [
      ['rollbackComponent', { component: of, release: 1 }],
      ['rollbackApplication', { application: { appId }, at }],
      ['promoteRelease', { release: { at: { component: of, number: 2 } }, to: { appId: other.appId } }],
    ];
    for (const [mutation, input] of changes) {
      let planned: any;
      const transactions = await transactionsOf(async () => {
        planned = await trellis.attempt(mutation, { ...input, dryRun: true }, 'plan { changes { name } }');
      });
      expect(planned.plan?.changes.length, JSON.stringify(planned)).toBeGreaterThan(0);
      expect(transactions).toHaveLength(1);
      expect(transactions[0]!.filter((text) => /FROM "component_release"/.test(text))).toEqual([]);
      const made = await trellis.attempt(mutation, input, 'plan { changes { name } } job { id }');
      expect(made).toMatchObject({ plan: planned.plan, job: {} });
      await deployed('nginx:2', name);
    }
  });

  it('of an upgrade reads each group before its transaction, unless the one before it takes names', async () => {
    const { installed, install, upgrade } = upgradesOf(trellis);
    const renamed: Edit = (app, index) => {
      app.port_map_list[0].cluster_service_name = `other-${index}`;
    };
    const { appId, key } = await installed(2, [() => {}, () => {}, renamed]);
    await install(appId, key);
    const readsGroup = (text: string) =>
      /^SELECT [^(]*"sealed_template"[^(]* FROM "component_group"/.test(text);
    for (const [version, reads] of [
      ['2.0.0', 0],
      ['3.0.0', 1],
    ] as const) {
      let planned: any;
      const transactions = await transactionsOf(async () => {
        planned = await upgrade(appId, key, version, true);
      });
      expect(planned.outcomes[0].changes.length, JSON.stringify(planned)).toBeGreaterThan(0);
      expect(transactions.map((each) => each.filter(readsGroup).length)).toEqual([reads]);
      expect(await upgrade(appId, key, version)).toEqual(planned);
    }
  });

  it('of a deletion has no transaction', async () => {
    const { installed } = upgradesOf(trellis);
    const { appId, groupId, components } = await installed(3, [() => {}]);
    const deletions: [string, object][] = [
      ['deleteComponent', { component: { componentId: components[0].uid } }],
      ['uninstallComponentGroup', { group: { groupId } }],
      ['deleteApplication', { application: { appId } }],
    ];
    for (const [mutation, on] of deletions) {
      const input = { ...on, force: true };
      let planned: any;
      const transactions = await transactionsOf(async () => {
        planned = await trellis.attempt(mutation, { ...input, dryRun: true }, 'plan { action name }');
      });
      expect(planned.plan?.length, JSON.stringify(planned)).toBeGreaterThan(0);
      expect(transactions).toEqual([]);
      expect(await trellis.attempt(mutation, input, 'plan { action name }')).toEqual(planned);
    }
  });

  it('with a read-only token stops at the objects that it may change', async () => {
    const place = await trellis.createPlace();
    const { application } = await apply(trellis, place, manyComponents(unique('app'), planObjects + 1), {
      deploy: 'NONE',
    });
    const input = { application: { appId: application.appId }, dryRun: true };
    const { secret } = await readOnly();
    for (const [mutation, payload] of [
      ['deployApplication', 'DeployApplicationPayload'],
      ['deleteApplication', 'DeleteApplicationPayload'],
    ] as const) {
      const planned = (token?: string) => trellis.attempt(mutation, input, '__typename', token);
      await expect(planned(secret)).rejects.toThrow('without the right to make its changes');
      expect(await planned()).toEqual({ __typename: payload });
    }
  });
});

const manyComponents = (application: string, count: number) =>
  JSON.stringify({
    application,
    components: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`part-${index}`, { image: 'nginx' }]),
    ),
  });
