import { beforeAll, describe, expect, it } from 'vitest';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let token: string;
/** Three teams whose applications and components have interleaved names. */
beforeAll(async () => {
  const person = await trellis.createPerson();
  token = person.token;
  for (const team of [0, 1, 2]) {
    const place = await trellis.createPlace();
    await trellis.succeed(
      'addTeamMember',
      { team: { teamId: place.team.teamId }, user: { userId: person.userId }, role: 'VIEWER' },
      'member { role }',
    );
    for (let nth = 0; nth < 3; nth++) {
      const { appId } = await trellis.createApplication(place, `app-${nth * 3 + team}`);
      await trellis.createComponent(appId, { name: `component-${nth * 3 + team}` });
    }
  }
  // Of a team that the person does not belong to.
  const other = await trellis.createPlace();
  await trellis.createComponent((await trellis.createApplication(other, 'app-4')).appId);
});

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

/** The steps that read the rows of one team. */
async function planOfTeam(list: string, args: string): Promise<string[]> {
  trellis.statements.length = 0;
  await read(list, args);
  const text = trellis.statements.find((each) => each.includes('"membership" j'))!;
  if (databaseKind === 'sqlite') {
    const params = Array.from(text.matchAll(/\?/g), () => 0);
    const plan = await trellis.services.db.query(`EXPLAIN QUERY PLAN ${text}`, params);
    const ofTeam = plan.find(([, , , detail]) => String(detail).startsWith('CORRELATED LIST SUBQUERY'));
    return plan
      .filter(([, parent]) => parent === ofTeam?.[0])
      .map(([, , , detail]) => String(detail))
      .filter((detail) => !detail.startsWith('CORRELATED'));
  }
  const numbers = new Set(Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  const params = [...numbers]
    .sort((one, other) => one - other)
    .map((number) => (text.includes(`, $${number}) > 0`) ? 'x' : 3));
  const plan = await trellis.services.db.transaction(async (tx) => {
    // Postgres would sort a table that fits on a page.
    await tx.$executeRawUnsafe('SET LOCAL enable_seqscan = off');
    await tx.$executeRawUnsafe('SET LOCAL enable_bitmapscan = off');
    return tx.$queryRawUnsafe<{ 'QUERY PLAN': any }[]>(`EXPLAIN (FORMAT JSON) ${text}`, ...params);
  });
  const nodesOf = (node: any): any[] => [
    node,
    ...(node.Plans ?? []).filter((each: any) => !each['Subplan Name']).flatMap(nodesOf),
  ];
  const limits = nodesOf(plan[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Node Type'] === 'Limit');
  return nodesOf(limits.at(-1)).map((node) => node['Node Type']);
}

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
    const steps = await planOfTeam(list, `${order}, first: 2`);
    expect(steps).toEqual(
      databaseKind === 'sqlite'
        ? [expect.stringMatching(/^SEARCH t USING (COVERING )?INDEX .*team_id/)]
        : ['Limit', expect.stringMatching(/^Index/)],
    );
  });
});

describe.each(lists)('a search in %s of all teams', (list) => {
  it('reads nothing but an index of what it does not find', async () => {
    const args = `first: 2, search: "${list === 'components' ? 'component' : 'app'}-8"`;
    const steps = await planOfTeam(list, args);
    expect(steps).toEqual(
      databaseKind === 'sqlite'
        ? [expect.stringMatching(/^SEARCH t USING COVERING INDEX .*team_id/)]
        : ['Limit', 'Index Only Scan'],
    );
    const { nodes } = await read(list, args);
    expect(nodes).toEqual([{ name: expect.stringMatching(/-8$/) }]);
  });
});
