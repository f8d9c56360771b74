import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Place, unique } from '../../support/fixtures.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

describe.runIf(databaseKind === 'postgres')('a change that takes names of components', () => {
  let other: pg.Client;
  let place: Place;
  let appId: number;
  beforeAll(async () => {
    other = new pg.Client({ connectionString: trellis.databaseUrl });
    await other.connect();
    place = await trellis.createPlace();
    ({ appId } = await trellis.createApplication(place));
  });
  afterAll(() => other?.end());

  /** Runs work while another change has locked rows. */
  async function whileLocked<T>(rows: string, params: unknown[], work: () => Promise<T>): Promise<T> {
    await other.query('BEGIN');
    try {
      await other.query(`SELECT 1 FROM ${rows} FOR NO KEY UPDATE`, params);
      return await work();
    } finally {
      await other.query('ROLLBACK');
    }
  }

  const changes: Record<string, () => Promise<unknown>> = {
    createComponent: () => trellis.createComponent(appId, { name: unique('component') }),
    addPort: async () => {
      const { componentId } = await trellis.createComponent(appId);
      const port = { component: { componentId }, number: 80, protocol: 'HTTP' };
      return trellis.succeed('addPort', port, '__typename');
    },
    addVolume: async () => {
      const { componentId } = await trellis.createComponent(appId);
      const volume = { name: 'data', path: '/data', type: 'share-file', capacityGiB: 1 };
      return trellis.succeed('addVolume', { component: { componentId }, ...volume }, '__typename');
    },
  };

  it.each(Object.keys(changes))('does not wait for those of other teams in the region: %s', async (name) => {
    await whileLocked('region', [], changes[name]!);
  });

  it('waits for another one of its team', async () => {
    const rows = 'team_region WHERE team_id = $1';
    let isAnswered = false;
    const answer = await whileLocked(rows, [place.team.teamId], async () => {
      const created = changes.createComponent!().finally(() => {
        isAnswered = true;
      });
      await expect
        .poll(async () => {
          const { rowCount } = await other.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rowCount;
        })
        .toBeGreaterThan(0);
      expect(isAnswered).toBe(false);
      return { created };
    });
    await answer.created;
  });
});
