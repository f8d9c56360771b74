// The limit on Postgres: each read is one hand-written statement whose JSON goes out as it comes from the
// database, behind node:http and pg and nothing else. The switch is the bare transaction.
import pg from 'pg';
import { restColumns, restFrom } from './rest-fields.ts';
import { serve } from './serve.ts';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL),
});

const tree = (applications: number, components: number) => `
  t.id AS uid, t.name, t.alias, (
    SELECT coalesce(json_agg(a), '[]') FROM (
      SELECT a.id AS "appId", a.name, a.note, (
        SELECT coalesce(json_agg(c), '[]') FROM (
          SELECT c.id AS uid, c.name, c.alias, c.image, c.replicas, (
            SELECT coalesce(json_agg(p), '[]') FROM (
              SELECT p.number, p.protocol, p.alias, p.is_inner AS "isInner", p.is_outer AS "isOuter"
              FROM port p WHERE p.component_id = c.id ORDER BY p.number LIMIT 20
            ) p
          ) AS ports
          FROM component c WHERE c.application_id = a.id ORDER BY c.name, c.id LIMIT ${components}
        ) c
      ) AS components
      FROM application a WHERE a.team_id = t.id ORDER BY a.order_index, a.name, a.id LIMIT ${applications}
    ) a
  ) AS applications`;

const reads: Record<string, { text: string; params: (body: any) => unknown[] }> = {
  a: {
    text: `SELECT json_build_object('team', to_json(t))::text FROM (
      SELECT ${tree(20, 20)} FROM team t WHERE t.name = $1) t`,
    params: ({ name }) => [name],
  },
  b: {
    text: `SELECT json_build_object('teams', coalesce(json_agg(t), '[]'))::text FROM (
      SELECT ${tree(5, 5)} FROM team t WHERE (t.name, t.id) > ($1, $2) ORDER BY t.name, t.id LIMIT 10) t`,
    params: ({ name, id }) => [name, id],
  },
  c: {
    text: `SELECT json_build_object('team', to_json(t))::text FROM (
      SELECT t.id AS uid, t.name, t.alias FROM team t WHERE t.name = $1) t`,
    params: ({ name }) => [name],
  },
  d: {
    text: `SELECT json_build_object('application', json_build_object('components', coalesce(json_agg(c), '[]')))::text
      FROM (
        SELECT c.id AS uid, c.name, c.alias, c.key, c.version, c.image, c.replicas,
          c.cpu_millicores AS "cpuMillicores", c.memory_mib AS "memoryMiB", c.extend_method AS "extendMethod",
          c.service_name AS "serviceName", c.created_at AS "createdAt"
        FROM component c WHERE c.application_id = $1 ORDER BY c.name, c.id LIMIT 20) c`,
    params: ({ id }) => [id],
  },
  f: {
    text: `SELECT coalesce(json_agg(c), '[]')::text FROM (
      SELECT ${restColumns}, ARRAY(
        SELECT url FROM (
          SELECT 0 AS kind, h.id,
            CASE WHEN h.certificate_id IS NULL THEN 'http' ELSE 'https' END || '://' || h.domain || h.path AS url
          FROM http_rule h WHERE h.component_id = c.id AND h.is_published
          UNION ALL
          SELECT 1, t.id,
            CASE WHEN t.address = '0.0.0.0' THEN r.tcp_domain ELSE t.address END || ':' || t.port_number
          FROM tcp_rule t WHERE t.component_id = c.id AND t.is_published
        ) rules ORDER BY kind, id
      ) AS access_infos
      ${restFrom} WHERE a.id = $1 AND a.team_id = $2 AND r.name = $3 ORDER BY c.name, c.id) c`,
    params: ({ id, teamId, region }) => [id, teamId, region],
  },
};

async function read(key: string, body: unknown): Promise<string> {
  const { text, params } = reads[key]!;
  const { rows } = await pool.query({ name: key, text, values: params(body), rowMode: 'array' });
  return rows[0]?.[0] ?? 'null';
}

/** What has to be written, by those who know already that it may be: the port and the event. */
async function switchPort({ id, isInner }: { id: number; isInner: boolean }): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query({
      name: 'switch',
      text: `UPDATE port p SET is_inner = $2 FROM component c WHERE p.id = $1 AND c.id = p.component_id
        RETURNING p.number, p.alias, p.is_inner AS "isInner", p.is_outer AS "isOuter", c.team_id`,
      values: [id, isInner],
    });
    const { team_id, ...port } = rows[0]!;
    await client.query({
      name: 'event',
      text: `INSERT INTO event (enterprise_id, team_id, at, request_id, action, subject_type, subject_id, changes)
        SELECT enterprise_id, id, now(), 'bench', $2, 'Port', $3, $4 FROM team WHERE id = $1`,
      values: [
        team_id,
        isInner ? 'port.open_inner' : 'port.close_inner',
        String(id),
        JSON.stringify({ isInner: [!isInner, isInner] }),
      ],
    });
    await client.query('COMMIT');
    return JSON.stringify({ port });
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

serve((key, body) => (key === 'e' ? switchPort(body) : read(key, body)));
