import { type GraphQLObjectType, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import { type Field, type Model, tableOf } from '../../db/tables.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'schema'>;

/** What the selection of a connection needs from the database. */
export interface Wanted<M extends Model> {
  /** Whether the selection needs the page, and not only the length of the list. */
  page: boolean;
  /** Whether the selection needs cursors. */
  cursors: boolean;
  /** The columns of the nodes; undefined if all are needed. */
  columns: readonly Field<M>[] | undefined;
}

/** The field nodes of a cached document are the same objects in every execution. */
const known = memoizeByIdentity((_: GraphQLResolveInfo['fieldNodes']) => new Map<string, Wanted<Model>>());

/** What the selection of a connection field needs, regardless of `@skip` and `@include`. */
export function wantedOf<M extends Model>(info: Info, model: M, nodeType: string): Wanted<M> {
  const memo = known(info.fieldNodes);
  let wanted = memo.get(nodeType);
  if (!wanted) {
    wanted = look(info, model, nodeType);
    memo.set(nodeType, wanted);
  }
  return wanted as Wanted<M>;
}

function look(info: Info, model: Model, nodeType: string): Wanted<Model> {
  const wanted = { page: false, cursors: false };
  const columns = new Set<string>();
  const nodes = info.schema.getType(nodeType) as GraphQLObjectType;
  let areKnown = true;
  const addNode = (name: string) => {
    const own = columnsOf(nodes, model, name);
    if (!own) areKnown = false;
    for (const column of own ?? []) columns.add(column);
  };
  const fieldsIn = (set: SelectionSetNode | undefined, visit: Visit) => eachField(info, set, visit);
  for (const { selectionSet } of info.fieldNodes) {
    fieldsIn(selectionSet, (name, below) => {
      if (name !== 'totalCount' && name !== '__typename') wanted.page = true;
      if (name === 'pageInfo') wanted.cursors = true;
      if (name === 'nodes') fieldsIn(below, addNode);
      if (name !== 'edges') return;
      fieldsIn(below, (part, node) => {
        if (part === 'cursor') wanted.cursors = true;
        if (part === 'node') fieldsIn(node, addNode);
      });
    });
  }
  return { ...wanted, columns: areKnown ? ([...columns].sort() as Field<Model>[]) : undefined };
}

type Visit = (name: string, below: SelectionSetNode | undefined) => void;

function eachField(info: Info, set: SelectionSetNode | undefined, visit: Visit): void {
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) visit(selection.name.value, selection.selectionSet);
    else if (selection.kind === Kind.INLINE_FRAGMENT) eachField(info, selection.selectionSet, visit);
    else eachField(info, info.fragments[selection.name.value]?.selectionSet, visit);
  }
}

/** The columns that a field of an entity uses; undefined if not declared. */
function columnsOf(type: GraphQLObjectType, model: Model, name: string): readonly string[] | undefined {
  const extensions = type.getFields()[name]?.extensions;
  // The field belongs to another type, under a fragment that does not apply.
  if (!extensions) return [];
  const { columns } = extensions.pothosOptions as { columns?: readonly string[] };
  const exposed = extensions.pothosExposedField;
  const own = columns ?? (typeof exposed === 'string' ? [exposed] : undefined);
  return own?.every((column) => column in tableOf(model).columns) ? own : undefined;
}
