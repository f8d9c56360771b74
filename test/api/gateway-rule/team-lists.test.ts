import { beforeAll, expect, it } from 'vitest';
import { planOf } from '../../support/plan.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const isPostgres = databaseKind === 'postgres';
const rulesOfOthers = 9_000;

const trellis = useTrellis();
let team: { teamId: string };
/** The domains of the default rules of the team, sorted. */
const domains: string[] = [];
beforeAll(async () => {
  const place = await trellis.createPlace();
  team = { teamId: place.team.teamId };
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  for (const number of [8080, 8081, 8082]) {
    const { id } = await trellis.addPort(componentId, number);
    const { port } = await trellis.succeed(
      'openOuterService',
      { port: { id } },
      'port { gatewayRules { http { nodes { domain } } } }',
    );
    domains.push(port.gatewayRules.http.nodes[0].domain);
  }
  await trellis.services.db.transaction(async (tx) => {
    const [{ id }] = await tx.$queryRawUnsafe<[{ id: number }]>(
      `SELECT id FROM port WHERE component_id = '${componentId}' AND number = 8082`,
    );
    // Many rules of another team, whose rows need not exist.
    const numbers = isPostgres
      ? `generate_series(1, ${rulesOfOthers}) n`
      : `(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ${rulesOfOthers}) SELECT n FROM r)`;
    await tx.$executeRawUnsafe(
      `INSERT INTO http_rule (key, team_id, region_id, application_id, component_id, port_id, domain, is_default, is_published, created_at)
       SELECT 'other-' || n, 'other', p.region_id, p.application_id, p.component_id, p.port_id, n || '.other.example', false, true, p.created_at
       FROM http_rule p CROSS JOIN ${numbers} WHERE p.port_id = ${id}`,
    );
    // SQLite is never analyzed.
    if (isPostgres) await tx.$executeRawUnsafe('ANALYZE http_rule');
  });
});

const lists = [
  ['all', ''],
  ['exposed', 'isPublished: true'],
  ['without certificate', 'isPublished: true, hasCertificate: false'],
] as const;

it.each(lists)('the rules of a team are read in their order from one table: %s', async (_, filter) => {
  trellis.statements.length = 0;
  const args = filter ? `first: 2, ${filter}` : 'first: 2';
  const query = `query ($team: TeamRef!) { team(by: $team) { httpRules(${args}) { totalCount nodes { domain } } } }`;
  const found = (await trellis.data(query, { team })).team.httpRules;
  expect(found).toEqual({
    totalCount: 3,
    nodes: domains.slice(0, 2).map((domain) => ({ domain })),
  });
  const texts = trellis.statements.filter((text) => text.includes('"http_rule"'));
  expect(texts).toHaveLength(2);
  for (const text of texts) {
    expect(text).not.toContain('"component"');
    const plan = await planOf(trellis, text);
    expect(plan).toContain('http_rule_team_id_domain');
    expect(plan).not.toMatch(/Seq Scan|SCAN t|TEMP B-TREE/);
    // Pages are read in the order of the index.
    if (text.includes('ORDER BY')) expect(plan).not.toContain('Sort');
  }
});

it('the rules of all teams of the caller are those of each', async () => {
  trellis.statements.length = 0;
  const { httpRules } = await trellis.data(
    '{ httpRules(first: 2, isPublished: true, search: "8081.") { totalCount nodes { domain } } }',
  );
  expect(httpRules).toEqual({ totalCount: 1, nodes: [{ domain: domains[1] }] });
  const texts = trellis.statements.filter((text) => text.includes('"http_rule"'));
  expect(texts).toHaveLength(2);
  for (const text of texts) expect(await planOf(trellis, text)).toContain('http_rule_team_id_domain');
});
