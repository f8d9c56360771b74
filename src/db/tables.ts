import type { Prisma } from './generated/sqlite/client.ts';
import { tables } from './generated/tables.ts';

export { tables };

export type Model = keyof typeof tables;

/** A row of a model, with the types of Prisma. */
export type Row<M extends Model> = Prisma.TypeMap['model'][M]['payload']['scalars'];

/** A row with some of its fields: those that were read. */
export type Part<M extends Model, F extends Field<M>> = [Field<M>] extends [F]
  ? Row<M>
  : Pick<Row<M>, F & keyof Row<M>>;

/** A row to insert. The database sets its id and its first revision. Only what a manifest creates belongs to one. */
export type NewRow<M extends Model> = Omit<Row<M>, 'id' | 'revision' | 'manifestId'> & {
  manifestId?: number | null;
};

/** The models that have revisions. */
export type Revised = { [M in Model]: 'revision' extends keyof Row<M> ? M : never }[Model];

export type Field<M extends Model> = keyof (typeof tables)[M]['columns'] & string;

/** Columns with secrets, or with what a secret is recognized by. */
type SecretField = `sealed${string}` | 'hash';

/** The other columns of a model, with which its objects are shown. */
export type OpenField<M extends Model> = Exclude<Field<M>, SecretField>;

export const openFields = <M extends Model>(model: M): OpenField<M>[] =>
  Object.keys(tables[model].columns).filter(
    (field) => field !== 'hash' && !field.startsWith('sealed'),
  ) as OpenField<M>[];

export type ColumnType = 'String' | 'Int' | 'Float' | 'Boolean' | 'DateTime';

/** The columns whose texts can have megabytes. How much they have is asked before they are read. */
const largeFields: { readonly [M in Model]?: readonly Field<M>[] } = {
  Volume: ['fileContent'],
  EnvironmentVariable: ['value', 'sealedValue'],
  Deployment: ['sealedSpec'],
  PendingDeploy: ['sealedSpec'],
  Release: ['sealedSpec'],
  ComponentGroup: ['template', 'sealedTemplate'],
  UpgradeRecord: ['changes', 'sealedFromTemplate'],
  PublishedVersion: ['template', 'requiredVariables'],
};

/** Those that are large only if there are many rows: not asked for rows that are read by their ids. */
const longFields: { readonly [M in Model]?: readonly Field<M>[] } = {
  Component: ['entrypoint', 'command', 'containerCommand', 'placement', 'preDeployCommand'],
  HttpRule: ['configuration', 'rewrites', 'extensions'],
  Schedule: ['command'],
};

type Fields = { readonly [model: string]: readonly string[] | undefined };

/** The columns that can have much text, among those that are read by the values of a field. */
export function largeAmong<M extends Model>(model: M, by: Field<M>, fields: readonly Field<M>[]): Field<M>[] {
  const large = (largeFields as Fields)[model] ?? [];
  const long = by === 'id' ? [] : ((longFields as Fields)[model] ?? []);
  if (large.length === 0 && long.length === 0) return [];
  return fields.filter((each) => large.includes(each) || long.includes(each));
}

interface Table {
  table: string;
  /** The unique fields and groups of fields. */
  keys: readonly (readonly string[])[];
  /** What rows refer to, and what the deletion of that does to them. */
  references: readonly { field: string; to: string; onDelete: string }[];
  columns: Record<string, { column: string; type: ColumnType }>;
}

export const tableOf = (model: Model): Table => tables[model] as Table;

export function columnOf(model: Model, field: string): { column: string; type: ColumnType } {
  const column = tableOf(model).columns[field];
  if (!column) throw new Error(`${model} has no column ${field}`);
  return column;
}
