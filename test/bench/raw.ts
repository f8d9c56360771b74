// The limit on SQLite: the statements that the tree needs, one a level, run with better-sqlite3, put together
// and written with JSON.stringify, behind node:http and nothing else. A page of every parent is numbered, as it
// has to be where there is no LATERAL.
import Sqlite from 'better-sqlite3';
import { restColumns, restFrom } from './rest-fields.ts';
import { serve } from './serve.ts';

const database = new Sqlite(process.env.DATABASE_URL!.slice('file:'.length));
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');

type Item = Record<string, unknown>;
const prepare = (text: string) => database.prepare<unknown[], Item>(text);

/** The first rows of each parent among the keys. */
const page = (columns: string, table: string, parent: string, order: string) =>
  prepare(`SELECT * FROM (
    SELECT ${parent} AS parent, ${columns}, ROW_NUMBER() OVER (PARTITION BY ${parent} ORDER BY ${order}) AS place
    FROM ${table} WHERE ${parent} IN (SELECT value FROM json_each(?))
  ) WHERE place <= ? ORDER BY parent, place`);

const statements = {
  team: prepare('SELECT id AS uid, name, alias FROM team WHERE name = ?'),
  teams: prepare(
    'SELECT id AS uid, name, alias FROM team WHERE (name, id) > (?, ?) ORDER BY name, id LIMIT 10',
  ),
  applications: page('id AS appId, name, note', 'application', 'team_id', 'order_index, name, id'),
  components: page('id AS uid, name, alias, image, replicas', 'component', 'application_id', 'name, id'),
  ports: page(
    'number, protocol, alias, is_inner AS isInner, is_outer AS isOuter',
    'port',
    'component_id',
    'number',
  ),
  listed:
    prepare(`SELECT id AS uid, name, alias, key, version, image, replicas, cpu_millicores AS cpuMillicores,
      memory_mib AS memoryMiB, extend_method AS extendMethod, service_name AS serviceName, created_at AS createdAt
    FROM component WHERE application_id = ? ORDER BY name, id LIMIT 20`),
  rest: prepare(`SELECT ${restColumns} ${restFrom}
    WHERE a.id = ? AND a.team_id = ? AND r.name = ? ORDER BY c.name, c.id`),
  httpRules: prepare(`SELECT component_id AS parent,
      iif(certificate_id IS NULL, 'http', 'https') || '://' || domain || path AS url
    FROM http_rule WHERE is_published AND component_id IN (SELECT value FROM json_each(?)) ORDER BY id`),
  tcpRules: prepare(`SELECT t.component_id AS parent,
      iif(t.address = '0.0.0.0', r.tcp_domain, t.address) || ':' || t.port_number AS url
    FROM tcp_rule t JOIN region r ON r.id = t.region_id
    WHERE t.is_published AND t.component_id IN (SELECT value FROM json_each(?)) ORDER BY t.id`),
  update: prepare(`UPDATE port SET is_inner = ? WHERE id = ?
    RETURNING number, alias, is_inner AS isInner, is_outer AS isOuter, component_id AS componentId`),
  event: prepare(`INSERT INTO event
      (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes)
    SELECT t.enterprise_id, t.id, ?, 'bench', ?, 'Port', ?, ?
    FROM component c JOIN team t ON t.id = c.team_id WHERE c.id = ?`),
};

/** Reads the children of all parents, and hangs them on theirs. */
function hang(
  parents: Item[],
  key: string,
  name: string,
  statement: Sqlite.Statement<unknown[], Item>,
  limit: number,
): Item[] {
  const lists = new Map<unknown, Item[]>();
  for (const parent of parents) {
    const list: Item[] = [];
    parent[name] = list;
    lists.set(parent[key], list);
  }
  const rows = statement.all(JSON.stringify([...lists.keys()]), limit);
  const children: Item[] = [];
  for (const { parent, place: _, ...child } of rows) {
    lists.get(parent)!.push(child);
    children.push(child);
  }
  return children;
}

function tree(teams: Item[], applicationLimit: number, componentLimit: number): Item[] {
  const applications = hang(teams, 'uid', 'applications', statements.applications, applicationLimit);
  const components = hang(applications, 'appId', 'components', statements.components, componentLimit);
  for (const port of hang(components, 'uid', 'ports', statements.ports, 20)) {
    port.isInner = port.isInner === 1;
    port.isOuter = port.isOuter === 1;
  }
  return teams;
}

const switchPort = database.transaction(({ id, isInner }: { id: number; isInner: boolean }) => {
  const { componentId, ...port } = statements.update.get(isInner ? 1 : 0, id)!;
  statements.event.run(
    new Date().toISOString(),
    isInner ? 'port.open_inner' : 'port.close_inner',
    String(id),
    JSON.stringify({ isInner: [!isInner, isInner] }),
    componentId,
  );
  return { port: { ...port, isInner: port.isInner === 1, isOuter: port.isOuter === 1 } };
});

function restComponents({ id, teamId, region }: Record<string, unknown>): Item[] {
  const components = statements.rest.all(id, teamId, region);
  const urls = new Map<unknown, unknown[]>();
  for (const component of components) {
    for (const name of ['is_service', 'open_webhooks', 'is_upgrate', 'build_upgrade']) {
      component[name] = component[name] === 1;
    }
    const list: unknown[] = [];
    component.access_infos = list;
    urls.set(component.service_id, list);
  }
  const keys = JSON.stringify([...urls.keys()]);
  for (const rules of [statements.httpRules, statements.tcpRules]) {
    for (const { parent, url } of rules.all(keys)) urls.get(parent)!.push(url);
  }
  return components;
}

const answers: Record<string, (body: any) => object> = {
  a: ({ name }) => ({ team: tree(statements.team.all(name), 20, 20)[0] }),
  b: ({ name, id }) => ({ teams: tree(statements.teams.all(name, id), 5, 5) }),
  c: ({ name }) => ({ team: statements.team.get(name) }),
  d: ({ id }) => ({ application: { components: statements.listed.all(id) } }),
  e: (body) => switchPort.immediate(body),
  f: restComponents,
};

serve((key, body) => JSON.stringify(answers[key]!(body)));
