/** A database with everything in proportion to its ports: rules, events, jobs, releases, runs, deliveries, people and tokens. */
import { ask, caller, type Dataset, execute, fill } from './data.ts';

/** Of the large teams. */
const perApplication = { components: 10, ports: 10 };
const largeTeams = 20;

export const smallTeam = 'small-team';
export const newTeam = 'new-team';

/** Fills an empty database with 20 large teams, a small one and a new one. */
export async function fillGrown(url: string, allPorts: number): Promise<Dataset> {
  const { components, ports } = perApplication;
  const applications = allPorts / (largeTeams * components * ports);
  const dataset = await fill(url, { teams: largeTeams, applications, ...perApplication });
  const isPostgres = !url.startsWith('file:');
  await execute(url, [
    // One transaction on SQLite.
    [
      ...(isPostgres ? [] : ['PRAGMA synchronous = OFF', 'PRAGMA cache_size = -1000000', 'BEGIN']),
      ...otherTeams,
      ...partsOfComponents(isPostgres),
      ...ofTeams(applications),
      ...(isPostgres ? [] : ['COMMIT']),
    ].join(';\n'),
  ]);
  if (isPostgres) await ask(url, 'VACUUM ANALYZE');
  return dataset;
}

/** `SELECT … FROM one row` with other values in some columns. */
const copied = (table: string, from: string, values: string) =>
  `CREATE TEMP TABLE copied AS SELECT * FROM ${table} ${from}; UPDATE copied SET ${values}; INSERT INTO ${table} SELECT * FROM copied; DROP TABLE copied`;

const firstTeam = '(SELECT min(id) FROM team)';

const otherTeams = [smallTeam, newTeam].flatMap((team) => [
  copied(
    'team',
    'ORDER BY id LIMIT 1',
    `id = '${team}', name = '${team}', alias = '${team}', folded = '${team} ${team}'`,
  ),
  copied('team_region', `WHERE team_id = ${firstTeam}`, `team_id = '${team}'`),
  copied('membership', `WHERE team_id = ${firstTeam}`, `id = '${team}-' || user_id, team_id = '${team}'`),
  ...(team === newTeam
    ? []
    : [
        copied(
          'application',
          'ORDER BY id LIMIT 1',
          `id = (SELECT max(id) + 1 FROM application), team_id = '${team}', name = 'Small', folded = 'small'`,
        ),
        copied(
          'component',
          'WHERE application_id = (SELECT min(id) FROM application)',
          `application_id = (SELECT max(id) FROM application), id = 'small-' || id, team_id = '${team}'`,
        ),
        copied(
          'port',
          `WHERE component_id IN (SELECT substr(id, 7) FROM component WHERE team_id = '${team}')`,
          `id = id + (SELECT max(id) FROM port), component_id = 'small-' || component_id`,
        ),
      ]),
]);

const userOfCaller = `(SELECT id FROM user_account WHERE email = '${caller}')`;

/** Rows for each component, or for each of its ports, in an order in which teams alternate. */
function partsOfComponents(isPostgres: boolean): string[] {
  // From February to November, as SQL of the number of a row and of the number of all.
  const at = (n: string, all: string) => {
    const seconds = `1769900000 + (${n}) * 25000000.0 / (${all})`;
    return isPostgres
      ? `to_timestamp(${seconds})::timestamp(3)`
      : `strftime('%Y-%m-%dT%H:%M:%f+00:00', ${seconds}, 'unixepoch')`;
  };
  const small = `team_id = '${smallTeam}'`;
  const numbered = (table: string, order: string) =>
    `(SELECT r.*, ROW_NUMBER() OVER (ORDER BY ${order}) AS n FROM ${table} r) c CROSS JOIN (SELECT count(*) AS rows FROM ${table} r) total`;
  const components = numbered('component', 'id');
  const ports = numbered(
    '(SELECT p.id AS port_id, p.number, component.* FROM port p JOIN component ON component.id = p.component_id)',
    'r.number, r.id',
  );
  const webhookOf = `c.team_id || '-hook-' || (c.n % 2)`;
  return [
    `INSERT INTO certificate (team_id, name, chain, sealed_key, names, issuer, expires_at, created_at)
     SELECT team_id, 'certificate ' || id, '', '', '["*.example.com"]', 'bench', ${at('1.2', '1')}, created_at FROM application WHERE id % 5 = 0 OR ${small}`,
    `INSERT INTO http_rule (key, team_id, region_id, application_id, component_id, port_id, certificate_id, domain, is_default, is_published, created_at)
     SELECT 'http-' || c.n, c.team_id, c.region_id, c.application_id, c.id, p.id,
       CASE WHEN c.n % 3 = 0 THEN (SELECT min(id) FROM certificate WHERE team_id = c.team_id) END,
       c.n || '.' || c.alias || '.example.com', c.n % 4 > 0, c.n % 10 > 0, c.created_at
     FROM ${components} JOIN port p ON p.component_id = c.id AND p.number = 20001`,
    `INSERT INTO domain (region_id, name, team_id)
     SELECT h.region_id, h.domain, c.team_id FROM http_rule h JOIN component c ON c.id = h.component_id`,
    `INSERT INTO tcp_rule (key, team_id, region_id, application_id, component_id, port_id, address, port_number, is_default, is_published, created_at)
     SELECT 'tcp-' || c.n, c.team_id, c.region_id, c.application_id, c.id, p.id, 'tcp.example.com', 20000 + c.n, true, c.n % 10 > 0, c.created_at
     FROM ${components} JOIN port p ON p.component_id = c.id AND p.number = 20002 WHERE c.n % 4 = 0 OR c.${small}`,
    `UPDATE port SET is_outer = true WHERE id IN (SELECT port_id FROM http_rule WHERE is_published UNION ALL SELECT port_id FROM tcp_rule WHERE is_published)`,
    `INSERT INTO event (enterprise_id, team_id, at, application_id, component_id, user_id, request_id, action, subject_type, subject_id, changes)
     SELECT e.id, c.team_id, ${at('c.n', 'total.rows')}, c.application_id, c.id, ${userOfCaller}, 'bench',
       CASE c.n % 5 WHEN 0 THEN 'component.deploy' WHEN 1 THEN 'component.update' ELSE 'port.create' END,
       CASE WHEN c.n % 5 < 2 THEN 'Component' ELSE 'Port' END,
       CASE WHEN c.n % 5 < 2 THEN c.id ELSE CAST(c.port_id AS text) END, '{"isOuter":[null,true]}'
     FROM ${ports} CROSS JOIN enterprise e ORDER BY c.n`,
    // Otherwise the gateway would seal them while it is measured.
    `INSERT INTO record_seal (enterprise_id, number, format, first_event_id, last_event_id, event_count, events_hash, previous_hash, hash, key_id, signature, at)
     SELECT id, 1, 1, 1, (SELECT max(id) FROM event), (SELECT count(*) FROM event), '', '', '', '', '', ${at('1', '1')} FROM enterprise`,
    `INSERT INTO job (team_id, region_id, application_id, kind, status, user_id, request_id, created_at, started_at, ended_at)
     SELECT c.team_id, c.region_id, c.application_id, 'deploy', CASE WHEN c.n % 20 = 0 THEN 'failed' ELSE 'succeeded' END, ${userOfCaller},
       c.id, ${at('c.n', 'total.rows')}, ${at('c.n', 'total.rows')}, ${at('c.n', 'total.rows')} FROM ${components} ORDER BY c.n`,
    `INSERT INTO job_component (job_id, region_id, component_id, component_name, action, generation, status, due_at)
     SELECT j.id, j.region_id, c.id, c.name, 'apply', 1, j.status, j.created_at FROM job j JOIN component c ON c.id = j.request_id`,
    `INSERT INTO component_release (component_id, number, image, version, sealed_spec, job_id, user_id, created_at)
     SELECT c.id, v.n, c.image, c.version, '', 1, ${userOfCaller}, ${at('c.n', 'total.rows')}
     FROM ${components} CROSS JOIN (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) v`,
    `INSERT INTO component_run (id, component_id, region_id, command, timeout_seconds, status, exit_code, user_id, request_id, created_at, ended_at)
     SELECT 'run-' || c.n, c.id, c.region_id, '["true"]', 60, 'succeeded', 0, ${userOfCaller}, 'bench', ${at('c.n', 'total.rows')}, ${at('c.n', 'total.rows')} FROM ${components}`,
    `INSERT INTO environment_variable (component_id, name, value, scope) SELECT id, 'MODE', 'production', 'environment' FROM component`,
    `INSERT INTO volume (component_id, name, path, type) SELECT id, 'data', '/data', 'share' FROM component WHERE extend_method = 'state'`,
    `INSERT INTO webhook (id, team_id, url, events, sealed_secret, created_at, updated_at)
     SELECT t.id || '-hook-' || v.n, t.id, 'https://hooks.example.com/', '["*"]', '', t.created_at, t.created_at
     FROM team t, (SELECT 0 AS n UNION ALL SELECT 1) v WHERE t.id <> '${newTeam}'`,
    `INSERT INTO webhook_delivery (webhook_id, team_id, message_id, subject, status, attempts, created_at, finished_at)
     SELECT ${webhookOf}, c.team_id, 'm-' || c.n || '-' || v.n, 'Component/' || c.id, CASE WHEN c.n % 20 = 0 THEN 'FAILED' ELSE 'DELIVERED' END, 1,
       ${at('c.n', 'total.rows')}, ${at('c.n', 'total.rows')}
     FROM ${components} CROSS JOIN (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) v ORDER BY c.n`,
  ];
}

/** People, tokens and service accounts: as many for each team as it has applications. */
const ofTeams = (applications: number): string[] => {
  const each = `team t, (SELECT ROW_NUMBER() OVER (ORDER BY id) AS n FROM application ORDER BY id LIMIT ${applications}) v WHERE t.id NOT IN ('${smallTeam}', '${newTeam}')`;
  const email = `v.n || '@' || t.name || '.example.com'`;
  return [
    `INSERT INTO user_account (enterprise_id, email, nick_name, created_at, folded)
     SELECT t.enterprise_id, ${email}, 'Member ' || v.n, t.created_at, ${email} || ' member ' || v.n FROM ${each}`,
    `INSERT INTO membership (id, team_id, user_id, role, joined_at)
     SELECT u.id || '-' || t.id, t.id, u.id, 'developer', t.created_at FROM team t JOIN user_account u ON u.email LIKE '%@' || t.name || '.example.com'`,
    `INSERT INTO access_token (id, user_id, name, hash, created_at)
     SELECT 'token-' || id, id, 'token', 'hash-' || id, created_at FROM user_account`,
    `INSERT INTO access_token (id, user_id, name, hash, created_at)
     SELECT 'own-' || t.id || v.n, ${userOfCaller}, 'token', 'own-' || t.id || v.n, t.created_at FROM ${each}`,
    `INSERT INTO service_account (id, enterprise_id, team_id, name, role, created_at)
     SELECT 'service-' || t.id || v.n, t.enterprise_id, t.id, 'service ' || v.n, 'developer', t.created_at FROM ${each} AND v.n % 5 = 0`,
  ];
};
