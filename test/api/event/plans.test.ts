import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseKind, startTrellis, type Trellis } from '../../support/trellis.ts';

// SQLite takes the index with the most columns, whatever is in the table.
const isPostgres = databaseKind === 'postgres';

let trellis: Trellis;
let client: pg.Client;
/** References to objects with hardly any events, jobs or deliveries. */
let quiet: { team: object; application: object; webhook: object };
beforeAll(async () => {
  if (!isPostgres) return;
  trellis = await startTrellis();
  client = new pg.Client({ connectionString: trellis.databaseUrl });
  await client.connect();
  const place = await trellis.createPlace();
  const team = { teamId: place.team.teamId };
  const { appId } = await trellis.createApplication(place);
  const { webhook } = await trellis.succeed(
    'createWebhook',
    { team, url: 'https://hooks.example/', events: ['*'] },
    'webhook { uid }',
  );
  quiet = { team, application: { appId }, webhook: { webhookId: webhook.uid } };
});
afterAll(async () => {
  await client?.end();
  await trellis?.close();
});

const execute = (text: string) => trellis.services.db.transaction((tx) => tx.$executeRawUnsafe(text));

/** 9,000 events of so many other teams, and jobs and deliveries of as many parents. */
async function fill(teams: number): Promise<void> {
  // The parents need not exist for the statistics.
  await trellis.services.db.transaction(async (tx) => {
    await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    for (const table of ['event', 'job', 'webhook_delivery']) {
      await tx.$executeRawUnsafe(`DELETE FROM ${table} WHERE id > 1000000`);
    }
    const numbers = `generate_series(1000001, 1009000) n`;
    const other = `'other-' || n % ${teams}`;
    await tx.$executeRawUnsafe(
      `INSERT INTO event (id, enterprise_id, team_id, application_id, component_id, user_id, at, request_id, action, subject_type, subject_id, changes)
       SELECT n, 'e', ${other}, 1000000 + n % ${teams}, ${other}, 1000000 + n % ${teams}, now(), 'r', 'port.create', 'Port', 'x', '{}' FROM ${numbers}`,
    );
    await tx.$executeRawUnsafe(
      `INSERT INTO job (id, team_id, region_id, application_id, kind, status, request_id, created_at)
       SELECT n, ${other}, 'r', 1000000 + n % ${teams}, 'deploy', 'succeeded', 'r', now() FROM ${numbers}`,
    );
    await tx.$executeRawUnsafe(
      `INSERT INTO webhook_delivery (id, webhook_id, team_id, message_id, subject, status, created_at)
       SELECT n, ${other}, ${other}, 'm' || n, 'Port/1', 'DELIVERED', now() FROM ${numbers}`,
    );
  });
  for (const table of ['event', 'job', 'webhook_delivery']) await execute(`ANALYZE ${table}`);
}

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

/** The steps of a statement that walk through a whole table. */
async function walksOf(text: string): Promise<string[]> {
  const { rows } = await client.query(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`);
  const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan).flatMap((node) =>
    node['Node Type'] === 'Seq Scan' || (node['Index Name']?.endsWith('_pkey') && node.Filter)
      ? `${node['Node Type']} ${node['Index Name'] ?? ''} ${node.Filter}`
      : [],
  );
}

const lists: [table: string, query: string][] = [
  ['event', '{ team(by: $team) { events(first: 20) { nodes { action } } } }'],
  ['event', '{ team(by: $team) { events(first: 20, objectType: "Volume") { nodes { action } } } }'],
  ['event', '{ team(by: $team) { events(first: 20, action: "port.create") { nodes { action } } } }'],
  ['event', '{ application(by: $application) { events(first: 20) { nodes { action } } } }'],
  ['job', '{ team(by: $team) { jobs(first: 20) { nodes { kind } } } }'],
  ['job', '{ team(by: $team) { jobs(first: 20, status: FAILED) { nodes { kind } } } }'],
  ['job', '{ application(by: $application) { jobs(first: 20) { nodes { kind } } } }'],
  ['webhook_delivery', '{ webhook(by: $webhook) { deliveries(first: 20) { nodes { status } } } }'],
];

it.runIf(isPostgres).each([3, 30, 300])(
  'the lists of a quiet parent walk through no table, with %i teams',
  async (teams) => {
    await fill(teams);
    for (const [table, query] of lists) {
      const used = Object.entries({
        team: 'TeamRef',
        application: 'ApplicationRef',
        webhook: 'WebhookRef',
      }).filter(([name]) => query.includes(`$${name}`));
      trellis.statements.length = 0;
      await trellis.data(
        `query (${used.map(([name, type]) => `$${name}: ${type}!`).join(', ')}) ${query}`,
        Object.fromEntries(used.map(([name]) => [name, quiet[name as keyof typeof quiet]])),
      );
      const texts = trellis.statements.filter((text) => text.includes(`"${table}"`));
      expect(texts, query).not.toEqual([]);
      for (const text of texts) expect(await walksOf(text), `${query}: ${text}`).toEqual([]);
    }
  },
);
