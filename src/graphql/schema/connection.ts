import type { FieldMap, InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../../context.ts';
import { countOf, type List, orderTypes, pageOf } from '../../db/list.ts';
import type { Slice } from '../../db/query/pages.ts';
import type { ListSpec } from '../../db/query/statement.ts';
import type { Field, Model, Row } from '../../db/tables.ts';
import { readAhead } from '../../kernel/batch.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { type ConnectionArgs, encodeCursor, pageSize, type Window, windowOf } from '../../kernel/page.ts';
import { builder, type Types } from './builder.ts';
import { type Wanted, wantedOf } from './columns.ts';
import { nullOnError } from './null-on-error.ts';

/** The source object of a connection type. */
interface Page<M extends Model, R> {
  list: List<M>;
  window: Window;
  slice: Slice<R>;
}

/** The source object of an edge. Its cursor is a property, which the executor reads without a resolver. */
class Edge<M extends Model, R = Row<M>> {
  readonly list: List<M>;
  readonly node: R;

  constructor(list: List<M>, node: R) {
    this.list = list;
    this.node = node;
  }

  get cursor(): string {
    return cursorOf(this.list, this.node);
  }
}

const cursorOf = <M extends Model>({ spec }: List<M>, row: unknown) =>
  encodeCursor(
    orderNameOf(spec),
    spec.order.map((field) => (row as { [name: string]: unknown })[field]),
  );

const orderNameOf = memoizeByIdentity((spec: object) => orderName(spec as ListSpec<Model>));

const orderName = (spec: { model: string; order: readonly string[]; descending?: boolean }) =>
  `${spec.model}.${spec.order.join('.')}${spec.descending ? '.desc' : ''}`;

/** Needs no statement of its own, because a page is read with one extra row. */
function pageInfoOf<M extends Model>({ list, window, slice }: Page<M, unknown>) {
  const { rows, searchedTo } = slice;
  // Where a search was cut, it can go on.
  const first = (window.fromEnd && searchedTo) || rows[0];
  const last = (!window.fromEnd && searchedTo) || rows.at(-1);
  const more = slice.more || searchedTo !== undefined;
  return {
    hasNextPage: window.fromEnd ? window.before !== undefined : more,
    hasPreviousPage: window.fromEnd ? more : window.after !== undefined,
    startCursor: first ? cursorOf(list, first) : null,
    endCursor: last ? cursorOf(list, last) : null,
  };
}

const PageInfo = builder.objectRef<ReturnType<typeof pageInfoOf>>('PageInfo').implement({
  description: 'The position of a page in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', {
      description: 'Whether the list has items after this page.',
    }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Whether the list has items before this page.',
    }),
    startCursor: t.exposeString('startCursor', {
      nullable: true,
      description: 'The cursor of the first item of the page. Null if the page is empty.',
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'The cursor of the last item of the page. Null if the page is empty.',
    }),
  }),
});

const nameOf = (ref: unknown) => (ref as { name: string }).name;

const connections = new Map<string, unknown>();

/** The connection type of a node type, shared by all fields that return it, but those whose edges have more fields. */
function connectionOf<M extends Model, R>(
  node: ObjectRef<Types, R>,
  plural: string,
  relation: Relation<M, R> | undefined,
  isEndless: boolean,
): ObjectRef<Types, Page<M, R>> {
  const name = relation?.name ?? nameOf(node);
  const existing = connections.get(name);
  if (existing) return existing as ObjectRef<Types, Page<M, R>>;
  const edge = builder.objectRef<Edge<M, R>>(`${name}Edge`).implement({
    description: `An item in a page of ${plural}, with its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'The cursor of the item, for use as `after` or `before`.',
      }),
      node: t.field({
        type: node,
        description: 'The item.',
        // Pothos decides whether a type is a list, which TypeScript cannot do for the row of any model.
        resolve: (each) => each.node as never,
      }),
      ...relation?.fields(t),
    }),
  });
  const connection = builder.objectRef<Page<M, R>>(`${name}Connection`).implement({
    description: `A page of ${plural}.`,
    fields: (t) => ({
      nodes: t.field({
        type: [node],
        description: 'The items of the page.',
        resolve: (page) => page.slice.rows,
      }),
      edges: t.field({
        type: [edge],
        description: 'The items of the page, each with its cursor.',
        resolve: (page) => page.slice.rows.map((row) => new Edge(page.list, row)),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'The position of the page in the list.',
        resolve: pageInfoOf,
      }),
      totalCount: t.int({
        description: `The number of items in the whole list${isEndless ? ', up to 10,000' : ''}.`,
        resolve: (page, _, context) => countOf(context, page.list).then(({ count }) => count),
      }),
      ...(isEndless && endlessFields(t)),
    }),
  });
  connections.set(name, connection);
  return connection;
}

/** The fields of pages of lists that are too long to be counted or searched as a whole. */
const endlessFields = <M extends Model, R>(t: PothosSchemaTypes.ObjectFieldBuilder<Types, Page<M, R>>) => ({
  isTotalCountExact: t.boolean({
    description: 'Whether the list has no more items than `totalCount`.',
    resolve: (page, _, context) => countOf(context, page.list).then(({ isExact }) => isExact),
  }),
  searchedUntil: t.field({
    type: 'DateTime',
    nullable: true,
    description:
      'The time of the last searched item, if the search stopped before the page was full: after about 10,000 items, or earlier in a request with many searches. Use `endCursor` as `after` to continue the search. Null if the page is complete.',
    resolve: ({ list, slice, window }) => timeOf(list, slice.searchedTo, window),
  }),
});

const dayMs = 86_400_000;

/** The time of the row that a search came to. If the caller may not see that, of the day before it in the direction of the search. */
function timeOf<M extends Model>(
  { spec: { growing, descending } }: List<M>,
  row: object | undefined,
  { fromEnd }: Window,
): Date | null {
  if (!row || !growing) return null;
  const time = (row as { [name: string]: Date })[growing.time]!;
  if (!growing.hasHidden) return time;
  const isBackward = (descending ?? false) !== fromEnd;
  return new Date((isBackward ? Math.ceil : Math.floor)(time.getTime() / dayMs) * dayMs);
}

/** The fields of edges, which describe the relation between an item and its parent. */
interface Relation<M extends Model, R> {
  /** The prefix of the names of the connection type and the edge type. */
  name: string;
  fields: (t: PothosSchemaTypes.ObjectFieldBuilder<Types, Edge<M, R>>) => FieldMap;
}

export interface ConnectionOptions<P, M extends Model, R, A extends InputFieldMap> {
  node: ObjectRef<Types, R>;
  /** A plural noun for descriptions, for example `applications`. */
  plural: string;
  description: string;
  relation?: Relation<M, R>;
  /** Set on each list of a node type if such lists can have millions of items. */
  isEndless?: true;
  /** Set for lists that only some callers may read: null with a FORBIDDEN error for other callers. */
  nullable?: boolean;
  args?: A;
  /** Returns the list, of which the connection reads a page. */
  list: (parent: P, args: InputShapeFromFields<A>, context: Context) => List<M> | Promise<List<M>>;
}

/**
 * A connection field. Pages are batched: one statement reads
 * the same page for all parents in the request.
 */
export function connectionField<P, M extends Model, R, A extends InputFieldMap = Record<never, never>>(
  // biome-ignore lint/suspicious/noExplicitAny: fields of objects and of the root are built alike
  t: PothosSchemaTypes.RootFieldBuilder<Types, P, any>,
  options: ConnectionOptions<P, M, R, A>,
) {
  const node = nameOf(options.node);
  const names = { node, connection: options.relation?.name ?? node };
  return t.field({
    type: connectionOf(options.node, options.plural, options.relation, options.isEndless ?? false),
    ...(options.nullable ? nullOnError : { nullable: false }),
    description: options.description,
    args: {
      ...options.args,
      first: t.arg.int({
        description: `The number of items to return from the start of the list, from 0 to ${pageSize.max}. Defaults to ${pageSize.default}.`,
      }),
      after: t.arg.string({ description: 'Returns only items after this cursor.' }),
      last: t.arg.int({
        description: `The number of items to return from the end of the list, from 0 to ${pageSize.max}.`,
      }),
      before: t.arg.string({ description: 'Returns only items before this cursor.' }),
    },
    resolve: (
      parent: P,
      args: InputShapeFromFields<A> & ConnectionArgs,
      context: Context,
      info: GraphQLResolveInfo,
    ) => {
      const list = options.list(parent, args, context);
      return list instanceof Promise
        ? list.then((found) => read<M, R>(context, found, args, info, names))
        : read<M, R>(context, list, args, info, names);
    },
  });
}

/** Windows by arguments, which are the same object for all parents in a request. */
const windows = memoizeByIdentity((_: object) => new Map<string, Window>());

function read<M extends Model, R>(
  context: Context,
  list: List<M>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  names: { node: string; connection: string },
): Page<M, R> | Promise<Page<M, R>> {
  const { spec } = list;
  const order = orderNameOf(spec);
  let window = windows(args).get(order);
  if (!window) {
    window = windowOf(args, { order, types: orderTypes(spec) });
    windows(args).set(order, window);
  }
  const wanted = wantedOf<M>(info, spec.model, names.node, names.connection);
  // In one step with the page, instead of after it.
  if (wanted.count) readAhead(countOf(context, list));
  if (!wanted.page) return { list, window, slice: { rows: [], more: false } };
  const columns = wanted.columns && columnsWith(wanted, spec);
  // The rows have the columns that the selected fields of the node use.
  return pageOf(context, list, window, columns).then((slice) => ({ list, window, slice: slice as Slice<R> }));
}

/** The columns to read, with those of the order if cursors are needed. Never empty. */
function columnsWith<M extends Model>(wanted: Wanted<M>, spec: ListSpec<M>): readonly Field<M>[] {
  const byOrder = columnSets(wanted);
  const key = wanted.cursors ? orderNameOf(spec) : '';
  let columns = byOrder.get(key);
  if (!columns) {
    const all = new Set<string>([...(wanted.columns ?? []), ...(wanted.cursors ? spec.order : [])]);
    columns = all.size ? [...all] : [spec.order.at(-1)!];
    byOrder.set(key, columns);
  }
  return columns as readonly Field<M>[];
}

const columnSets = memoizeByIdentity((_: object) => new Map<string, readonly string[]>());
