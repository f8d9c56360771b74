import type { FieldNode, GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { type Field, type Model, tableOf } from '../../db/tables.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { collect } from '../execute/collect.ts';

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'schema' | 'variableValues'>;

/** What the selection of a connection needs from the database. */
export interface Wanted<M extends Model> {
  /** Whether the selection needs the page, and not only the length of the list. */
  page: boolean;
  /** Whether the selection needs cursors. */
  cursors: boolean;
  /** The columns of the nodes; undefined if all are needed. */
  columns: readonly Field<M>[] | undefined;
}

/** The planned executor passes the same field nodes for every execution of a plan, with the same conditions. */
const known = memoizeByIdentity((_: GraphQLResolveInfo['fieldNodes']) => new Map<string, Wanted<Model>>());

/** What the selection of a connection field needs. `name` is what the types of the connection are named after. */
export function wantedOf<M extends Model>(info: Info, model: M, nodeType: string, name: string): Wanted<M> {
  const memo = known(info.fieldNodes);
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
  const type = objectType(info, nodeType);
  const columns = [...nodeFields.keys()].map((field) => columnsOf(type, model, field));
  // Other fields of an edge may look at any column.
  const isPlain = [...edge.keys()].every((field) => edgeFields.has(field));
  const isKnown = isPlain && columns.every((own) => own !== undefined);
  return {
    page: [...connection.keys()].some((field) => field !== 'totalCount' && field !== '__typename'),
    cursors: connection.has('pageInfo') || edge.has('cursor'),
    columns: isKnown ? ([...new Set(columns.flat())].sort() as Field<Model>[]) : undefined,
  };
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

/** The columns that a field of an entity uses; undefined if not declared. */
function columnsOf(type: GraphQLObjectType, model: Model, name: string): readonly string[] | undefined {
  const extensions = type.getFields()[name]?.extensions;
  // `__typename` needs no column.
  if (!extensions) return [];
  const { columns } = extensions.pothosOptions as { columns?: readonly string[] };
  const exposed = extensions.pothosExposedField;
  const own = columns ?? (typeof exposed === 'string' ? [exposed] : undefined);
  return own?.every((column) => column in tableOf(model).columns) ? own : undefined;
}
