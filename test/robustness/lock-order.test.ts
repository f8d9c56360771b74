import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/api.ts';
import { type ChangeCase, everyChange } from '../support/every-change.ts';
import { databaseKind, useTrellis } from '../support/trellis.ts';

const mutations = Object.keys(schema.getMutationType()!.getFields());

/** Changes lock components first and then what belongs to them, so that no two of them wait for each other. */
describe.runIf(databaseKind === 'postgres')('a mutation that waits for a component', () => {
  let other: pg.Client;
  let changes: Record<string, ChangeCase>;
  const waited = new Set<string>();

  const trellis = useTrellis();
  beforeAll(async () => {
    changes = await everyChange(trellis, await trellis.createAll());
    other = new pg.Client({ connectionString: trellis.databaseUrl });
    await other.connect();
  });
  afterAll(() => other?.end());

  const isWaiting = async () => {
    const { rowCount } = await other.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'trellis' AND wait_event_type = 'Lock'`,
    );
    return rowCount! > 0;
  };

  /** The tables with rows that another transaction has locked or changed. */
  async function lockedTables(): Promise<string[]> {
    const locked: string[] = [];
    for (const table of Object.keys(await trellis.counts())) {
      const { rows } = await other.query(
        `SELECT (SELECT count(*) FROM "${table}")::int - (SELECT count(*) FROM
           (SELECT 1 FROM "${table}" FOR NO KEY UPDATE SKIP LOCKED) AS free)::int AS locked`,
      );
      if (rows[0].locked > 0) locked.push(table);
    }
    return locked;
  }

  it.each(mutations)('has locked nothing else: %s', async (name) => {
    const input = await changes[name]!.input();
    await other.query('BEGIN');
    let isAnswered = false;
    let answer: Promise<{ __typename: string }>;
    try {
      await other.query('SELECT 1 FROM component FOR NO KEY UPDATE');
      answer = trellis.attempt(name, input).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered && !(await isWaiting()));
      if (!isAnswered) {
        waited.add(name);
        expect(await lockedTables()).toEqual([]);
      }
    } finally {
      await other.query('ROLLBACK');
    }
    expect((await answer).__typename).toMatch(/Payload$/);
  });

  it('is most of those that change what belongs to a component', () => {
    expect([...waited]).toEqual(
      expect.arrayContaining([
        'openOuterService',
        'changePortAlias',
        'deletePort',
        'createHttpRule',
        'deleteComponent',
        'updateHttpRule',
      ]),
    );
  });
});
