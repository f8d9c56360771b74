import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createApplication,
  createComponent,
  createPerson,
  createPlace,
  succeed,
} from '../../support/fixtures.ts';
import { databaseKind, startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let token: string;
/** Three teams whose applications and components have interleaved names. */
beforeAll(async () => {
  trellis = await startTrellis();
  const person = await createPerson(trellis);
  token = person.token;
  for (const team of [0, 1, 2]) {
    const place = await createPlace(trellis);
    await succeed(
      trellis,
      'addTeamMember',
      { team: { teamId: place.team.teamId }, user: { userId: person.userId }, role: 'VIEWER' },
      'member { role }',
    );
    for (let nth = 0; nth < 3; nth++) {
      const { appId } = await createApplication(trellis, place, `app-${nth * 3 + team}`);
      await createComponent(trellis, appId, { name: `component-${nth * 3 + team}` });
    }
  }
  // Of a team that the person does not belong to.
  const other = await createPlace(trellis);
  await createComponent(trellis, (await createApplication(trellis, other, 'app-4')).appId);
}, 60_000);
afterAll(() => trellis?.close());

interface Page {
  nodes: { name: string }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
}
const read = async (list: string, args: string): Promise<Page> => {
  const info = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
  return (await trellis.data(`{ ${list}(${args}) { nodes { name } ${info} } }`, {}, token))[list];
};

const lists = [
  ['applications', ['INDEX', 'NAME', 'CREATED_AT']],
  ['components', ['NAME', 'CREATED_AT']],
] as const;
const cases = lists.flatMap(([list, fields]) =>
  fields.flatMap((field) => (['ASC', 'DESC'] as const).map((direction) => [list, field, direction] as const)),
);

describe.each(cases)('%s of all teams by %s, %s', (list, field, direction) => {
  const order = `orderBy: { field: ${field}, direction: ${direction} }`;

  it('have the same order forwards and backwards', async () => {
    const forwards: string[] = [];
    const backwards: string[] = [];
    for (let after = ''; ; ) {
      const { nodes, pageInfo } = await read(list, `${order}, first: 2${after}`);
      forwards.push(...nodes.map(({ name }) => name));
      if (!pageInfo.hasNextPage) break;
      after = `, after: "${pageInfo.endCursor}"`;
    }
    for (let before = ''; ; ) {
      const { nodes, pageInfo } = await read(list, `${order}, last: 2${before}`);
      backwards.unshift(...nodes.map(({ name }) => name));
      if (!pageInfo.hasPreviousPage) break;
      before = `, before: "${pageInfo.startCursor}"`;
    }
    expect(forwards).toHaveLength(9);
    expect(backwards).toEqual(forwards);
    const whole = await read(list, `${order}, first: 100`);
    expect(whole.nodes.map(({ name }) => name)).toEqual(forwards);
    if (field === 'CREATED_AT') return;
    const sorted = [...forwards].sort();
    expect(forwards).toEqual(direction === 'ASC' ? sorted : sorted.reverse());
  });

  it('are read from an index up to the size of the page, team by team', async () => {
    trellis.statements.length = 0;
    await read(list, `${order}, first: 2`);
    const text = trellis.statements.find((each) => each.includes('"membership" j'))!;
    if (databaseKind === 'sqlite') {
      const params = Array.from(text.matchAll(/\?/g), () => 0);
      const plan = await trellis.services.db.query(`EXPLAIN QUERY PLAN ${text}`, params);
      const ofTeam = plan.find(([, , , detail]) => String(detail).startsWith('CORRELATED LIST SUBQUERY'));
      const steps = plan.filter(([, parent]) => parent === ofTeam?.[0]).map(([, , , detail]) => detail);
      expect(steps).toEqual([expect.stringMatching(/^SEARCH t USING (COVERING )?INDEX .*team_id/)]);
      return;
    }
    const plan = await trellis.services.db.transaction(async (tx) => {
      // Postgres would sort a table that fits on a page.
      await tx.$executeRawUnsafe('SET LOCAL enable_seqscan = off');
      await tx.$executeRawUnsafe('SET LOCAL enable_bitmapscan = off');
      return tx.$queryRawUnsafe<{ 'QUERY PLAN': any }[]>(`EXPLAIN (FORMAT JSON) ${text}`, 1, 3, 3);
    });
    const nodesOf = (node: any): any[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
    const nodes = nodesOf(plan[0]!['QUERY PLAN'][0].Plan);
    const loop = nodes.find((node) => node['Node Type'] === 'Nested Loop');
    const ofTeam = loop.Plans.find((node: any) => node['Node Type'] === 'Limit');
    expect(nodesOf(ofTeam).map((node) => node['Node Type'])).toEqual([
      'Limit',
      expect.stringMatching(/^Index/),
    ]);
  });
});
