import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attempt, createMember, createPlace, unique } from '../../support/fixtures.ts';
import { apply, plan, tryApply, tryPlan } from '../../support/manifests.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

const planObjects = 50;

let trellis: Trellis;
beforeAll(async () => {
  trellis = await startTrellis({ limits: { planObjects } });
});
afterAll(() => trellis?.close());

/** As YAML, whose aliases say it in few characters. */
const ports = (application: string, count: number, components = 1) => `
application: ${application}
components:
  one:
    image: nginx
    ports: &ports { ${Array.from({ length: count }, (_, index) => `${index + 1}: { protocol: tcp }`).join(', ')} }
${Array.from({ length: components - 1 }, (_, index) => `  more-${index}: { image: nginx, ports: *ports }`).join('\n')}
`;

/** The statements of the transactions that work takes. */
async function transactionsOf(work: () => Promise<unknown>): Promise<string[][]> {
  const { db } = trellis.services;
  const { transaction } = db;
  const transactions: string[][] = [];
  db.transaction = (within, ...rest) => {
    const statements: string[] = [];
    transactions.push(statements);
    return transaction(
      (tx) => {
        trellis.statements.length = 0;
        return within(tx).finally(() => statements.push(...trellis.statements));
      },
      ...rest,
    );
  };
  await work().finally(() => {
    db.transaction = transaction;
  });
  return transactions;
}

const isLock = (text: string) => /FOR (NO KEY )?UPDATE/.test(text);

describe('a plan', () => {
  it('of more objects than a plan may change is refused before it has a transaction', async () => {
    const place = await createPlace(trellis);
    const viewer = await createMember(trellis, place.team.teamId, 'VIEWER');
    const options = { token: viewer.token };
    const fits = ports(unique('app'), planObjects - 3, 1);
    expect((await plan(trellis, place, fits, options)).changes.length).toBe(planObjects - 1);
    const transactions = await transactionsOf(async () => {
      for (const components of [2, 40]) {
        const { error } = await tryPlan(trellis, place, ports(unique('app'), 40, components), options);
        expect(error).toMatchObject({
          message: `The request exceeds the limit of ${planObjects} objects in one plan.`,
          extensions: { code: 'LIMIT_EXCEEDED' },
        });
      }
    });
    expect(transactions).toEqual([]);
  });

  it('locks no row, and reads the application before its transaction', async () => {
    const place = await createPlace(trellis);
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
    const place = await createPlace(trellis);
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
        expect(await attempt(trellis, 'updateApplication', input)).toMatchObject({
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
  it('of an apply changes nothing, and is limited as a plan is', async () => {
    const place = await createPlace(trellis);
    const name = unique('app');
    const counts = await trellis.counts();
    expect(await tryApply(trellis, place, ports(name, 10), { dryRun: true })).toMatchObject({
      application: null,
      job: null,
      plan: { changes: { length: 12 } },
    });
    expect(await trellis.counts()).toEqual(counts);
    await expect(tryApply(trellis, place, ports(name, planObjects), { dryRun: true })).rejects.toThrow(
      'objects in one plan',
    );
    // A change is not limited: it waits for nobody who may not make it.
    await apply(trellis, place, ports(name, planObjects));
  });

  it('stops at the rows that it may write', async () => {
    const place = await createPlace(trellis);
    const { application } = await apply(trellis, place, manyComponents(unique('app'), planObjects + 1), {
      deploy: 'NONE',
    });
    const input = { application: { appId: application.appId }, dryRun: true };
    const deploys = () => attempt(trellis, 'deployApplication', input);
    await expect(deploys()).rejects.toThrow('objects in one plan');
  });
});

const manyComponents = (application: string, count: number) =>
  JSON.stringify({
    application,
    components: Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`part-${index}`, { image: 'nginx' }]),
    ),
  });
