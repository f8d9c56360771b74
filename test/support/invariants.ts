import { expect } from 'vitest';
import type { Database } from '../../src/db/open.ts';
import type { Trellis } from './trellis.ts';

/** What must never be found, whatever was changed, refused or interrupted. */
const contradictions: Record<string, string> = {
  'a rule of another component, application or region than its port': `
    SELECT r.id FROM (
      SELECT id, port_id, component_id, application_id, region_id FROM http_rule
      UNION ALL SELECT id, port_id, component_id, application_id, region_id FROM tcp_rule) r
    JOIN port p ON p.id = r.port_id JOIN component c ON c.id = p.component_id
    WHERE r.component_id <> c.id OR r.application_id <> c.application_id OR r.region_id <> c.region_id`,
  'a published rule of a closed port, or an unpublished one of an open port': `
    SELECT r.id FROM (
      SELECT id, port_id, is_published FROM http_rule UNION ALL SELECT id, port_id, is_published FROM tcp_rule) r
    JOIN port p ON p.id = r.port_id WHERE r.is_published <> p.is_outer`,
  'an open port without a rule': `
    SELECT p.id FROM port p WHERE p.is_outer
    AND p.id NOT IN (SELECT port_id FROM http_rule) AND p.id NOT IN (SELECT port_id FROM tcp_rule)`,
  'a rule whose domain the team has not claimed': `
    SELECT r.id FROM http_rule r JOIN component c ON c.id = r.component_id
    LEFT JOIN domain d ON d.region_id = r.region_id AND d.name = r.domain AND d.team_id = c.team_id
    WHERE d.name IS NULL`,
  'a claimed domain without a rule': `
    SELECT d.name FROM domain d LEFT JOIN http_rule r ON r.region_id = d.region_id AND r.domain = d.name
    WHERE r.id IS NULL`,
  'a component with an inner domain and no port, or with a port and no inner domain': `
    SELECT c.id FROM component c WHERE (c.service_name IS NULL) = (c.id IN (SELECT component_id FROM port))`,
  'a component in another team or region than its application, or in a group of another application': `
    SELECT c.id FROM component c JOIN application a ON a.id = c.application_id
    LEFT JOIN component_group g ON g.id = c.group_id
    WHERE c.team_id <> a.team_id OR c.region_id <> a.region_id OR g.application_id <> a.id`,
  'a dependency on a component of another team or region': `
    SELECT d.component_id FROM component_dependency d
    JOIN component c ON c.id = d.component_id JOIN component n ON n.id = d.dependency_id
    WHERE c.team_id <> n.team_id OR c.region_id <> n.region_id`,
  'a store connection that nothing was installed from': `
    SELECT s.id FROM store_connection s LEFT JOIN component_group g ON g.store_id = s.id WHERE g.id IS NULL`,
  'unfinished work on a component that is gone, other than its removal': `
    SELECT j.id FROM job_component j LEFT JOIN component c ON c.id = j.component_id
    WHERE c.id IS NULL AND j.action <> 'remove' AND j.status IN ('pending', 'running')`,
};

/** The objects whose events tell of their beginning and end. */
const recorded = {
  Application: { table: 'application', created: 'application.create', deleted: 'application.delete' },
  Component: { table: 'component', created: 'component.create', deleted: 'component.delete' },
  Port: { table: 'port', created: 'port.add', deleted: 'port.delete' },
  HttpRule: { table: 'http_rule', created: 'http_rule.create', deleted: 'http_rule.delete' },
  TcpRule: { table: 'tcp_rule', created: 'tcp_rule.create', deleted: 'tcp_rule.delete' },
};

/**
 * The rows fit each other and the record: foreign keys, rules against ports, domains against rules, events against rows.
 * For databases that only mutations have written to.
 */
export async function expectConsistent({ services }: Trellis): Promise<void> {
  expect(await contradictionsIn(services.db)).toEqual({});
}

/** What contradicts that, by what it is. */
export async function contradictionsIn(db: Database): Promise<Record<string, unknown>> {
  const ask = (sql: string) => db.query(sql, []);
  const found: Record<string, unknown> = {};
  const note = (what: string, rows: readonly unknown[]) => {
    if (rows.length > 0) found[what] = rows;
  };
  // Postgres checks them by itself.
  if (db.dialect.kind === 'sqlite') note('a broken foreign key', await ask('PRAGMA foreign_key_check'));
  for (const [what, sql] of Object.entries(contradictions)) note(what, await ask(sql));
  const events = await ask('SELECT subject_type, subject_id, action FROM event');
  for (const [type, { table, created, deleted }] of Object.entries(recorded)) {
    const idsOf = (action: string) =>
      events.filter((event) => event[0] === type && event[2] === action).map((event) => String(event[1]));
    const rows = new Set((await ask(`SELECT id FROM ${table}`)).map(([id]) => String(id)));
    const [begun, ended] = [idsOf(created), idsOf(deleted)];
    const [hasBegun, hasEnded] = [new Set(begun), new Set(ended)];
    const isThere = (id: string) => hasBegun.has(id) && !hasEnded.has(id);
    note(
      `${type} without an event`,
      [...rows].filter((id) => !isThere(id)),
    );
    note(
      `${type} that went without an event`,
      begun.filter((id) => isThere(id) && !rows.has(id)),
    );
    note(`${type} that came or went twice`, ended.length === hasEnded.size ? [] : ended);
  }
  return found;
}
