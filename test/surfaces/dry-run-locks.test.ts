import { type GraphQLField, type GraphQLInputObjectType, getNamedType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { deletions } from '../support/deletion-bounds.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { transactionsOf } from '../support/transactions.ts';
import { startTrellis, useTrellis } from '../support/trellis.ts';

/** The deletions of one object, except for those that read what goes without having deleted it. */
const { closeTeamRegion: _, ...ofOne } = deletions;
const deletedInTransaction = Object.fromEntries(
  Object.entries(ofOne).flatMap(([name, bound]) => (bound === 'limited' ? [] : [[name, 'one' as const]])),
);

/**
 * The dry runs that make the change in a transaction, for which changes of others wait, and what bounds it: they change one object with
 * what belongs to it, or at most `LIMIT_CHANGE_OBJECTS` objects.
 */
const inTransaction: Record<string, 'one' | 'limited'> = {
  ...deletedInTransaction,
  addPort: 'one',
  changePortAlias: 'one',
  changePortProtocol: 'one',
  closeInnerService: 'one',
  closeOuterService: 'one',
  createHttpRule: 'one',
  createTcpRule: 'one',
  deployComponent: 'one',
  openInnerService: 'one',
  openOuterService: 'one',
  restartComponent: 'one',
  restoreVolumeSnapshot: 'one',
  scaleComponent: 'one',
  setAutoscaling: 'one',
  setPlacement: 'one',
  setProbes: 'one',
  setSnapshotSchedule: 'one',
  setVariables: 'one',
  startComponent: 'one',
  stopComponent: 'one',
  updateComponent: 'one',
  updateHttpRule: 'one',
  updateTcpRule: 'one',
  applyManifest: 'limited',
  copyApplication: 'limited',
  openPreview: 'limited',
  deployApplication: 'limited',
  importNamespace: 'limited',
  installApplication: 'limited',
  promoteRelease: 'limited',
  restartApplication: 'limited',
  rollbackApplication: 'limited',
  rollbackComponent: 'limited',
  rollbackUpgrade: 'limited',
  startApplication: 'limited',
  stopApplication: 'limited',
  upgradeApplication: 'limited',
};

const hasDryRun = ({ args: [input] }: GraphQLField<unknown, unknown>) =>
  'dryRun' in (getNamedType(input!.type) as GraphQLInputObjectType).getFields();

const mutations = Object.values(schema.getMutationType()!.getFields())
  .filter(hasDryRun)
  .map(({ name }) => name);

const trellis = useTrellis();
let changes: Record<string, ChangeCase>;
beforeAll(async () => {
  changes = await everyChange(trellis, await trellis.createAll());
});

describe('a dry run', () => {
  it.each(mutations)('of %s locks no row, and has a transaction only if it is bounded', async (name) => {
    const input = await changes[name]!.input();
    let answer: { __typename: string } | undefined;
    const transactions = await transactionsOf(trellis, async () => {
      answer = await trellis.attempt(name, { ...input, dryRun: true });
    });
    expect(answer!.__typename).toMatch(/Payload$/);
    expect(transactions).toHaveLength(name in inTransaction ? 1 : 0);
    expect(transactions.flat().filter((text) => /FOR (NO KEY )?(UPDATE|SHARE)/.test(text))).toEqual([]);
  });

  it('of more objects than one change may have is refused before it has a transaction', async () => {
    const strict = await startTrellis({
      database: { url: trellis.databaseUrl },
      limits: { changeObjects: -1 },
    });
    const refused: string[] = [];
    const limited = Object.keys(inTransaction).filter((name) => inTransaction[name] === 'limited');
    for (const name of limited) {
      const input = { ...(await changes[name]!.input()), dryRun: true };
      const transactions = await transactionsOf(strict, () =>
        strict.attempt(name, input, '__typename', trellis.adminToken).catch((error) => {
          if (/"code":"LIMIT_EXCEEDED"/.test(error.message)) refused.push(name);
        }),
      );
      expect([name, transactions]).toEqual([name, []]);
    }
    expect(refused).toEqual(limited);
    await strict.close();
  });
});
