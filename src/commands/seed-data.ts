// Synthetic data of any size. Identifiers and values are always the same, so that measurements are comparable.

import type { Database, Transaction } from '../db/open.ts';
import { columnOf, type Model, type Row, tableOf } from '../db/tables.ts';
import { change } from '../db/write/change.ts';
import { asTrellis } from '../domain/access-token/bootstrap-operations.ts';
import { CommandError } from './command.ts';
import { regionNames } from './seed-names.ts';
import {
  applicationRow,
  componentRow,
  membershipRow,
  portRow,
  regionRow,
  teamId,
  teamRegionRows,
  teamRow,
} from './seed-rows.ts';

/** The number of objects per parent, at least 1. */
export interface Shape {
  teams: number;
  applications: number;
  components: number;
  ports: number;
}

const action = 'seed';
/** The rows per transaction, unless a single team has more. */
const transactionRows = 40_000;
const statementRows = 2_000;

const rowsOfTeam = ({ applications, components, ports }: Shape) =>
  1 + applications * (1 + components * (1 + ports));
/** The total number of teams, applications, components and ports. */
export const rowsOf = (shape: Shape) => shape.teams * rowsOfTeam(shape);

/**
 * Writes data of this shape, and returns the number of objects that were written, 0 if all exist. Each transaction
 * contains whole teams, so that an interrupted run can be continued and more teams of the same shape can be added.
 * Throws a CommandError if there is data of another shape. The first administrator becomes owner of the teams.
 */
export async function seed(
  db: Database,
  shape: Shape,
  onProgress: (written: number, total: number) => void = () => {},
): Promise<number> {
  const owner = await db.transaction((tx) =>
    tx.user.findFirst({ where: { isAdministrator: true }, orderBy: { id: 'asc' } }),
  );
  if (!owner)
    throw new CommandError('The database has no administrator: start Trellis on it once (npm start).');
  await requireSameShape(db, owner.enterpriseId, shape);
  const ids = times(shape.teams, teamId);
  const present = new Set(
    (await db.team.findManyByKeys({ by: 'id', keys: ids, fields: ['id'] })).map(({ id }) => id),
  );
  const missing = ids.flatMap((id, team) => (present.has(id) ? [] : [team]));
  const total = missing.length * rowsOfTeam(shape);
  if (!total) return 0;

  // The event identifies an interrupted run.
  const taken = () => 'A name of the synthetic data is already taken. Seed an empty database.';
  const context = asTrellis(db, owner.enterpriseId, 'seed command');
  await change(
    context,
    action,
    async ({ tx, recordEvent }) => {
      await addRegions(db, tx, owner.enterpriseId);
      recordEvent({ subject: { type: 'Enterprise', id: owner.enterpriseId }, after: shape });
    },
    taken,
  );
  let written = 0;
  const size = Math.max(1, Math.floor(transactionRows / rowsOfTeam(shape)));
  for (let from = 0; from < missing.length; from += size) {
    const teams = missing.slice(from, from + size);
    const done = (rows: number) => {
      written += rows;
      onProgress(written, total);
    };
    await change(context, action, ({ tx }) => addTeams(db, tx, owner, shape, teams, done), taken);
  }
  // Without new statistics, Postgres plans as if the tables were empty.
  if (db.dialect.kind === 'postgres') await db.transaction((tx) => tx.$executeRawUnsafe('ANALYZE'));
  return total;
}

async function requireSameShape(db: Database, enterpriseId: string, shape: Shape): Promise<void> {
  const [event] = await db.event.findManyByKeys({
    by: 'enterpriseId',
    keys: [enterpriseId],
    fields: ['changes'],
    where: [{ field: 'action', is: action }],
  });
  if (!event) return;
  const changes = JSON.parse(event.changes) as Record<keyof Shape, [null, number]>;
  const said = (of: (name: 'applications' | 'components' | 'ports') => number) =>
    `${of('applications')} applications × ${of('components')} components × ${of('ports')} ports`;
  const [there, asked] = [said((name) => changes[name][1]), said((name) => shape[name])];
  if (there !== asked) {
    throw new CommandError(
      `This database already has synthetic data with ${there} per team, not ${asked}. Seed an empty database.`,
    );
  }
}

async function addRegions(db: Database, tx: Transaction, enterpriseId: string): Promise<void> {
  const rows = regionNames.map((name, index) => regionRow(enterpriseId, name, index));
  if (await tx.region.count({ where: { id: rows[0]!.id } })) return;
  await insert(db, tx, 'Region', rows);
}

async function addTeams(
  db: Database,
  tx: Transaction,
  owner: Row<'User'>,
  shape: Shape,
  indices: number[],
  done: (rows: number) => void,
): Promise<void> {
  const teams = indices.map((index) => teamRow(owner, index));
  const membershipRows = teams.map((team) => membershipRow(owner, team));
  await insert(db, tx, 'Team', teams, done);
  await insert(db, tx, 'Membership', membershipRows);
  await insert(db, tx, 'TeamRegion', indices.flatMap(teamRegionRows));

  const applications = indices.flatMap((team) =>
    times(shape.applications, (index) => applicationRow(owner, team, index)),
  );
  await insert(db, tx, 'Application', applications, done);
  const numbered = await tx.application.findMany({
    where: { teamId: { in: teams.map(({ id }) => id) } },
    select: { id: true, teamId: true, name: true },
  });
  const appIds = new Map(numbered.map(({ id, teamId, name }) => [`${teamId} ${name}`, id]));
  const { table } = tableOf('Application');
  const teamIds = teams.map(({ id }) => `'${id}'`).join(', ');
  await tx.$executeRawUnsafe(
    `UPDATE "${table}" SET "${columnOf('Application', 'clusterName').column}" = 'app-' || id WHERE "${columnOf('Application', 'teamId').column}" IN (${teamIds})`,
  );

  const components = applications.flatMap((application) => {
    const appId = appIds.get(`${application.teamId} ${application.name}`)!;
    return times(shape.components, (index) => componentRow(owner, application, appId, index));
  });
  await insert(db, tx, 'Component', components, done);
  const ports = components.flatMap((component, index) =>
    times(shape.ports, (nth) => portRow(component, index % shape.components, nth)),
  );
  await insert(db, tx, 'Port', ports, done);
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const castOf = { String: 'text', Int: 'int', Float: 'float8', Boolean: 'boolean', DateTime: 'timestamp' };

/**
 * Inserts rows that all have the same fields in the same order. Other columns get their defaults. The rows of a statement
 * are one JSON parameter, which is several times as fast as one parameter per value.
 */
async function insert<M extends Model>(
  { dialect }: Database,
  tx: Transaction,
  model: M,
  rows: Partial<Row<M>>[],
  done: (rows: number) => void = () => {},
): Promise<void> {
  if (!rows[0]) return;
  const fields = Object.keys(rows[0]) as (keyof Row<M> & string)[];
  const columns = fields.map((field) => columnOf(model, field));
  const isPostgres = dialect.kind === 'postgres';
  const values = columns.map(({ type }, index) =>
    isPostgres ? `(value->>${index})::${castOf[type]}` : `value->>${index}`,
  );
  const from = isPostgres ? 'jsonb_array_elements($1::jsonb)' : 'json_each(?)';
  const names = columns.map(({ column }) => `"${column}"`).join(', ');
  const text = `INSERT INTO "${tableOf(model).table}" (${names}) SELECT ${values.join(', ')} FROM ${from}`;
  for (let start = 0; start < rows.length; start += statementRows) {
    const part = rows.slice(start, start + statementRows);
    const encoded = part.map((row) => fields.map((field) => dialect.encode(row[field])));
    await tx.$executeRawUnsafe(text, JSON.stringify(encoded));
    done(part.length);
  }
}
