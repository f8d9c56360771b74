/** What users of PostGraphile would add for a switch of a port: a policy that asks for the membership, and a record. */

/** They apply to this role only, which Trellis and the others do not have. */
const role = 'bench_rights';

export const rightsInPostgres = [
  `DO $$ BEGIN CREATE ROLE ${role}; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
  `GRANT SELECT ON component, membership, team, user_account TO ${role}`,
  `GRANT SELECT, UPDATE ON port TO ${role}`,
  `GRANT INSERT ON event TO ${role}`,
  `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
  'ALTER TABLE port ENABLE ROW LEVEL SECURITY',
  `CREATE POLICY of_members ON port TO ${role} USING (EXISTS (
    SELECT 1 FROM component c
    JOIN membership m ON m.team_id = c.team_id
    JOIN user_account u ON u.id = m.user_id
    WHERE c.id = component_id AND u.email = current_setting('bench.email') AND m.role IN ('admin', 'developer')
  ))`,
  `CREATE FUNCTION record_switch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO event (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes)
    SELECT t.enterprise_id, t.id, now(), 'bench',
      CASE WHEN NEW.is_inner THEN 'port.open_inner' ELSE 'port.close_inner' END, 'Port', NEW.id::text,
      json_build_object('isInner', json_build_array(OLD.is_inner, NEW.is_inner))::text
    FROM component c JOIN team t ON t.id = c.team_id WHERE c.id = NEW.component_id;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER record_switch AFTER UPDATE ON port FOR EACH ROW WHEN (current_user = '${role}')
    EXECUTE FUNCTION record_switch()`,
];
