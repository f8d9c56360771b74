import type { Database } from '../../../db/open.ts';
import { Params } from '../../../db/query/statement.ts';
import { tableOf } from '../../../db/tables.ts';
import type { Bulk } from '../../../db/write/bulk.ts';
import { prefixLengths } from '../../../kernel/seal.ts';
import { maxVolumes } from '../model.ts';
import { parts } from './model.ts';

type Read = (text: string, params: unknown[]) => Promise<unknown[][]>;

/** The length of a text before it was encrypted. An encrypted one is a prefix and the base64url of 28 bytes and the text. */
const plainLength = `coalesce((octet_length(sealed_value) - CASE WHEN sealed_value LIKE 'v1.%' THEN ${prefixLengths.v1} ELSE ${prefixLengths.v2} END) * 3 / 4 - 28, 0)`;

/** How many bytes of files and environment variables components have, by id, without reading them. */
export async function configurationSizes(
  { dialect }: Pick<Database, 'dialect'>,
  read: Read,
  componentIds: readonly string[],
  /** The components whose secrets count. */
  withSecrets: readonly string[] = componentIds,
): Promise<Map<string, number>> {
  const params = new Params(dialect);
  const among = (ids: readonly string[]) =>
    `component_id IN (SELECT key FROM ${params.keys(ids, 'Volume', 'componentId')})`;
  const secretLength =
    withSecrets.length === componentIds.length
      ? plainLength
      : `CASE WHEN ${among(withSecrets)} THEN ${plainLength} ELSE 0 END`;
  const rows = await read(
    `SELECT component_id, sum(bytes) FROM (
       SELECT component_id, octet_length(name) + coalesce(octet_length(value), 0) + ${secretLength} AS bytes
       FROM environment_variable WHERE ${among(componentIds)}
       UNION ALL SELECT component_id, octet_length(path) + octet_length(file_content) FROM volume WHERE ${among(componentIds)}
     ) part GROUP BY component_id`,
    params.values,
  );
  return new Map(rows.map(([id, bytes]) => [id as string, Number(bytes)]));
}

/** How many components an application has, with everything that belongs to them. Indexes have it: nothing of them is read. */
export async function objectsOf(
  { dialect }: Pick<Database, 'dialect'>,
  read: Read,
  applicationId: number,
): Promise<number> {
  const params = new Params(dialect);
  const own = () => `application_id = ${params.add(applicationId)}`;
  const counts = [
    `SELECT count(*) AS objects FROM component WHERE ${own()}`,
    ...parts.map(
      (model) =>
        `SELECT count(*) FROM "${tableOf(model).table}" WHERE component_id IN (SELECT id FROM component WHERE ${own()})`,
    ),
  ];
  const text = `SELECT sum(objects) FROM (${counts.join(' UNION ALL ')}) AS counts`;
  const [row] = await read(text, params.values);
  return Number(row![0]);
}

/** How many characters a deployment has, without reading it. Undefined if the component has none. */
export async function deploymentSize(
  { dialect }: Pick<Database, 'dialect'>,
  read: Read,
  { id, isPending }: { id: string; isPending: boolean },
): Promise<number | undefined> {
  const { table } = tableOf(isPending ? 'PendingDeploy' : 'Deployment');
  const of = dialect.placeholder(1);
  const text = `SELECT octet_length(sealed_spec) FROM "${table}" WHERE component_id = ${of}`;
  const [row] = await read(text, [id]);
  return row && Number(row[0]);
}

/** How many bytes the connection variables of components have, by id. */
export async function connectionSizes(
  { dialect }: Pick<Database, 'dialect'>,
  read: Read,
  componentIds: readonly string[],
  { countsSecrets = true } = {},
): Promise<Map<string, number>> {
  if (componentIds.length === 0) return new Map();
  const params = new Params(dialect);
  const rows = await read(
    `SELECT component_id, sum(octet_length(name) + coalesce(octet_length(value), 0) + ${countsSecrets ? plainLength : '0'})
     FROM environment_variable WHERE component_id IN (SELECT key FROM ${params.keys(componentIds, 'Volume', 'componentId')})
     AND scope = 'connection' GROUP BY component_id`,
    params.values,
  );
  return new Map(rows.map(([id, bytes]) => [id as string, Number(bytes)]));
}

/** LIMIT_EXCEEDED if components have more volumes than one change may have objects: while it compares their names, others wait. */
export async function requireFewVolumes(
  { context, tx }: Bulk,
  componentIds: readonly string[],
): Promise<void> {
  const { budget, db } = context;
  if (!budget || componentIds.length * maxVolumes <= budget.changeObjects) return;
  const params = new Params(db.dialect);
  const keys = params.keys(componentIds, 'Volume', 'componentId');
  const text = `SELECT count(*) FROM volume WHERE component_id IN (SELECT key FROM ${keys})`;
  const [row] = await (tx.log ?? tx).$read(text, params.values);
  budget.requireChangeObjects(Number(row![0]), 'with the volumes of its components');
}
