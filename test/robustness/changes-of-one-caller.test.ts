import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { send } from '../support/send.ts';
import { databaseKind, useTrellis } from '../support/trellis.ts';

const trellis = useTrellis({ database: { lockTimeoutMs: 90_000 } });
let other: Database;
beforeAll(async () => {
  other = await openDatabase({ url: trellis.databaseUrl, poolSize: 2 });
});
afterAll(() => other.close());

/** How many transactions wait for a lock. */
async function waiting(): Promise<number> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await other.query(text, [])).length;
}

// On SQLite, one transaction writes at a time, and callers take turns.
describe.skipIf(databaseKind === 'sqlite')('a member of a team', () => {
  it('waits for two of the applies of another member, however many there are', async () => {
    const place = await trellis.createPlace();
    const [team, region] = [{ teamId: place.team.teamId }, { regionId: place.region.regionId }];
    const { application } = await trellis.succeed(
      'createApplication',
      { team, region, name: 'Own' },
      'application { appId: uid }',
    );
    const [many, one] = await Promise.all(
      ['DEVELOPER', 'DEVELOPER'].map((role) => trellis.createMember(team.teamId, role)),
    );
    const ended: string[] = [];
    const change = async (name: string, token: string, mutation: string, input: object) => {
      const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}`;
      const query = `mutation ($input: ${type}Input!) { ${mutation}(input: $input) { __typename } }`;
      const { body } = await send(trellis, { body: JSON.stringify({ query, variables: { input } }), token });
      expect(body).toEqual({ data: { [mutation]: { __typename: `${type}Payload` } } });
      ended.push(name);
    };
    let changes: Promise<void>[] = [];
    await other.transaction(async (tx) => {
      await tx.$read('SELECT 1 FROM team_region WHERE team_id = $1 FOR UPDATE', [team.teamId]);
      changes = Array.from({ length: 6 }, (_, index) => {
        const document = `application: A${index}\ncomponents:\n  web${index}: { image: nginx }\n`;
        return change('many', many!.token, 'applyManifest', { team, region, document });
      });
      await expect.poll(waiting, { timeout: 90_000 }).toBe(2);
      const component = { application: { appId: application.appId }, name: 'own', image: 'nginx' };
      changes.push(change('one', one!.token, 'createComponent', component));
      await expect.poll(waiting, { timeout: 90_000 }).toBeGreaterThan(2);
      // Each of these takes some turns of the event loop, in which the others would have begun to wait.
      for (let requests = 0; requests < 20; requests++) {
        await send(trellis, { body: '{"query":"{ teams { totalCount } }"}' });
        expect(await waiting()).toBe(3);
      }
    });
    await Promise.all(changes);
    expect(ended.indexOf('one')).toBeLessThan(3);
  });
});
