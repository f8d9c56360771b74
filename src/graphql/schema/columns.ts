import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { type Field, type Model, tableOf } from '../../db/tables.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { collect } from '../execute/collect.ts';

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'schema' | 'variableValues'>;

/** The parts of a connection that its selection needs from the database. */
export interface Wanted<M extends Model> {
  /** Whether the selection needs the page, and not only the length of the list. */
  page: boolean;
  /** Whether the selection needs the length of the list. */
  count: boolean;
  /** Whether the selection needs cursors. */
  cursors: boolean;
  /** The columns of the nodes; undefined if all are needed. */
  columns: readonly Field<M>[] | undefined;
}

/** The planned executor passes the same field nodes for every execution of a plan, with the same conditions. */
const wantedCache = memoizeByIdentity(
  (_: GraphQLResolveInfo['fieldNodes']) => new Map<string, Wanted<Model>>(),
);

/** Returns the parts that the selection of a connection field needs. `name` is the prefix of the types of the connection. */
export function wantedOf<M extends Model>(info: Info, model: M, nodeType: string, name: string): Wanted<M> {
  const memo = wantedCache(info.fieldNodes);
  let wanted = memo.get(nodeType);
  if (!wanted) {
    wanted = look(info, model, nodeType, name);
    memo.set(nodeType, wanted);
  }
  return wanted as Wanted<M>;
}

function look(info: Info, model: Model, nodeType: string, name: string): Wanted<Model> {
  const nodeFields = new Map<string, readonly FieldNode[]>();
  const connection = fieldsBelow(info, `${name}Connection`, info.fieldNodes);
  const edge = fieldsBelow(info, `${name}Edge`, connection.get('edges'));
  for (const nodes of [connection.get('nodes'), edge.get('node')]) {
    for (const [field, fields] of fieldsBelow(info, nodeType, nodes)) nodeFields.set(field, fields);
  }
  // Other fields of an edge may look at any column.
  const isPlain = [...edge.keys()].every((field) => edgeFields.has(field));
  return {
    page: [...connection.keys()].some((field) => !countFields.has(field) && field !== '__typename'),
    count: [...countFields].some((field) => connection.has(field)),
    cursors: connection.has('pageInfo') || edge.has('cursor'),
    columns: isPlain ? columnsOfFields(info, nodeType, model, nodeFields.keys()) : undefined,
  };
}

/** The fields of a connection that need its length alone. */
const countFields = new Set(['totalCount', 'isTotalCountExact']);

/** The columns and fields that the selection of a field with one object needs. */
export interface WantedObject<M extends Model> {
  /** The columns of the object; undefined if all are needed. */
  columns: readonly Field<M>[] | undefined;
  /** The field nodes of each selected field. */
  fields: ReadonlyMap<string, readonly FieldNode[]>;
}

const knownObjects = memoizeByIdentity((_: readonly FieldNode[]) => new Map<string, WantedObject<Model>>());

/** Returns the selection of a field whose type is an entity. */
export function wantedObject<M extends Model>(info: Info, model: M): WantedObject<M> {
  const memo = knownObjects(info.fieldNodes);
  let wanted = memo.get(model);
  if (!wanted) {
    const fields = fieldsBelow(info, model, info.fieldNodes);
    wanted = { fields, columns: columnsOfFields(info, model, model as Model, fields.keys()) };
    memo.set(model, wanted);
  }
  return wanted as unknown as WantedObject<M>;
}

/** The columns that fields of an entity use; undefined if one of them does not declare them. */
function columnsOfFields(info: Info, type: string, model: Model, names: Iterable<string>) {
  const owner = objectType(info, type);
  const columns = [...names].map((field) => columnsOf(owner, model, field));
  if (columns.some((each) => each === undefined)) return undefined;
  return [...new Set(columns.flat())].sort() as Field<Model>[];
}

const edgeFields = new Set(['cursor', 'node', '__typename']);

const objectType = ({ schema }: Info, name: string) => schema.getType(name) as GraphQLObjectType;

/** The selections below fields of an object type, by the names of the selected fields. */
function fieldsBelow(
  info: Info,
  typeName: string,
  fields: readonly FieldNode[] = [],
): Map<string, readonly FieldNode[]> {
  const { schema, fragments, variableValues: variables } = info;
  const sets = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
  const byName = new Map<string, FieldNode[]>();
  // Below different aliases of one field, the same response name can stand for different fields.
  for (const node of [
    ...collect({ schema, fragments, variables }, objectType(info, typeName), sets).values(),
  ].flat()) {
    const name = node.name.value;
    byName.set(name, [...(byName.get(name) ?? []), node]);
  }
  return byName;
}

/** Whether a field selects anything of an object type that it can return. */
export const isSelected = (info: Info, typeName: string): boolean =>
  fieldsBelow(info, typeName, info.fieldNodes).size > 0;

/** The columns that a field of an entity uses; undefined if not declared. */
function columnsOf(type: GraphQLObjectType, model: Model, name: string): readonly string[] | undefined {
  const extensions = type.getFields()[name]?.extensions;
  // `__typename` needs no column.
  if (!extensions) return [];
  const exposed = extensions.pothosExposedField;
  const columns =
    (extensions.columns as readonly string[] | undefined) ??
    (typeof exposed === 'string' ? [exposed] : undefined);
  return columns?.every((column) => column in tableOf(model).columns) ? columns : undefined;
}
