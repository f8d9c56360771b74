import { expect, it } from 'vitest';
import { planOf } from '../../support/plan.ts';
import { databaseKind, useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();

const filters = [
  '',
  'action: "port.add"',
  'objectType: "Port"',
  'user: $user',
  'since: "2020-01-01T00:00:00Z", until: "2030-01-01T00:00:00Z"',
];

/** Every list of events, with the filters that it is meant for. */
async function lists(): Promise<[query: string, variables: object][]> {
  const place = await trellis.createPlace();
  const { appId } = await trellis.createApplication(place);
  const { componentId } = await trellis.createComponent(appId);
  const { viewer } = await trellis.data('{ viewer { user { uid } } }');
  const refs = {
    user: { userId: viewer.user.uid },
    team: { teamId: place.team.teamId },
    application: { appId },
    component: { componentId },
  };
  const list = (parent: string | null, filter: string): [string, object] => {
    const types = {
      user: 'UserRef',
      team: 'TeamRef',
      application: 'ApplicationRef',
      component: 'ComponentRef',
    };
    const events = `events(first: 3${filter && `, ${filter}`}) { nodes { action } }`;
    const body = parent ? `{ ${parent}(by: $${parent}) { ${events} } }` : `{ ${events} }`;
    const used = Object.entries(types).filter(([name]) => body.includes(`$${name}`));
    const declared = used.map(([name, type]) => `$${name}: ${type}!`).join(', ');
    const variables = Object.fromEntries(used.map(([name]) => [name, refs[name as keyof typeof refs]]));
    return [declared ? `query (${declared}) ${body}` : body, variables];
  };
  return [
    ...[...filters, 'objectType: "Port", objectUid: "1"'].map((filter) => list(null, filter)),
    ...filters.map((filter) => list('team', filter)),
    list('application', ''),
    list('component', ''),
  ];
}

/** Each takes time of every change that inserts an event. */
async function indexes(): Promise<string[]> {
  const text =
    databaseKind === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE tbl_name = 'event' AND type = 'index'`
      : `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'event' AND indexname <> 'event_pkey'`;
  const rows = await trellis.services.db.transaction((tx) => tx.$queryRawUnsafe<{ name: string }[]>(text));
  return rows.map(({ name }) => name).sort();
}

it('each index of events is the one that a list is read from, in its order', async () => {
  const used = new Set<string>();
  for (const [query, variables] of await lists()) {
    trellis.statements.length = 0;
    await trellis.data(query, variables);
    const pages = trellis.statements.filter((text) => /FROM "event"[^(]* ORDER BY/.test(text));
    expect(pages, query).not.toEqual([]);
    for (const text of pages) {
      const plan = await planOf(trellis, text);
      expect(plan, `${query}: ${text}`).not.toMatch(/TEMP B-TREE FOR (LAST TERM OF )?ORDER BY|Sort Key: t\./);
      for (const [name] of plan.matchAll(/event_\w+_idx/g)) used.add(name);
    }
  }
  expect([...used].sort()).toEqual(await indexes());
});
