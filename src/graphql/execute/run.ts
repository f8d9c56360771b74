import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  isObjectType,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql';
import { type FieldPlan, type Plan, planOf, type Selection, type Shape, selectionIn } from './plan.ts';

type Data = Record<string, unknown>;
type Path = GraphQLResolveInfo['path'];

/**
 * A place in the answer that something is put into, and what becomes null when nothing may be put there: the
 * nearest place above that may be null.
 */
class Place {
  isDropped = false;
  readonly above: Place | undefined;
  readonly holder: Data | unknown[];
  readonly key: string | number;
  readonly isNullable: boolean;

  constructor(above: Place | undefined, holder: Data | unknown[], key: string | number, isNullable: boolean) {
    this.above = above;
    this.holder = holder;
    this.key = key;
    this.isNullable = isNullable;
  }

  /** Makes the nearest place that may be null so, and lets go of all below it. */
  drop(): void {
    this.isDropped = true;
    if (this.isNullable || !this.above) (this.holder as Data)[this.key] = null;
    else this.above.drop();
  }

  get isGone(): boolean {
    return this.isDropped || (this.above?.isGone ?? false);
  }
}

interface Arguments {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  context: unknown;
  rootValue?: unknown;
  /** Coerced: what `getVariableValues` answered. */
  variables: Record<string, unknown>;
}

/** One execution: what it has, what it still waits for, and what failed. */
class Execution {
  readonly errors: GraphQLError[] = [];
  readonly answer: { data: Data | null } = { data: null };
  readonly args = new Map<FieldPlan, Record<string, unknown>>();
  pending = 0;
  whenIdle: (() => void) | undefined;

  readonly plan: Plan;
  readonly context: unknown;
  readonly rootValue: unknown;
  readonly variables: Record<string, unknown>;

  constructor(plan: Plan, { context, rootValue, variables }: Arguments) {
    this.plan = plan;
    this.context = context;
    this.rootValue = rootValue;
    this.variables = variables;
  }

  /** The arguments of a field: the same object for every parent, since variables alone decide on them. */
  argsOf(field: FieldPlan): Record<string, unknown> {
    if (field.args) return field.args;
    let args = this.args.get(field);
    if (!args) {
      args = getArgumentValues(field.field, field.nodes[0]!, this.variables);
      this.args.set(field, args);
    }
    return args;
  }

  infoOf(field: FieldPlan, path: Path): GraphQLResolveInfo {
    const { selecting, operation } = this.plan;
    return {
      fieldName: field.field.name,
      fieldNodes: field.nodes,
      returnType: field.field.type,
      parentType: field.parentType,
      path,
      schema: selecting.schema,
      fragments: selecting.fragments,
      rootValue: this.rootValue,
      operation,
      variableValues: this.variables,
    };
  }

  done(): void {
    if (--this.pending === 0) this.whenIdle?.();
  }

  idle(): Promise<void> | undefined {
    if (this.pending === 0) return undefined;
    return new Promise((resolve) => {
      this.whenIdle = resolve;
    });
  }
}

/**
 * Executes an operation of a validated document, as the specification says and graphql-js does: the same data,
 * the same errors. What it does not do again for every object is what the document alone decides: merging
 * selections, finding fields, coercing arguments. Answers are filled in as promises settle, without a promise
 * for every object and list on the way.
 *
 * @see https://spec.graphql.org/October2021/#sec-Execution
 */
export function execute(given: Arguments): ExecutionResult | Promise<ExecutionResult> {
  const plan = planOf(given.schema, given.document, given.operation, given.variables);
  const execution = new Execution(plan, given);
  if (given.operation.operation === 'mutation') return inTurn(execution);
  try {
    execution.answer.data = executeSelection(
      execution,
      plan.root,
      given.rootValue,
      undefined,
      new Place(undefined, execution.answer, 'data', true),
    );
  } catch (error) {
    execution.errors.push(error as GraphQLError);
  }
  const idle = execution.idle();
  return idle ? idle.then(() => resultOf(execution)) : resultOf(execution);
}

/** Changes are made one after the other. */
async function inTurn(execution: Execution): Promise<ExecutionResult> {
  const { root } = execution.plan;
  const data = emptyOf(root);
  execution.answer.data = data;
  const place = new Place(undefined, execution.answer, 'data', true);
  for (const field of root.fields) {
    try {
      executeField(execution, field, execution.rootValue, undefined, place, data);
    } catch (error) {
      execution.errors.push(error as GraphQLError);
      place.drop();
    }
    await execution.idle();
    if (place.isGone) break;
  }
  return resultOf(execution);
}

const resultOf = ({ errors, answer }: Execution): ExecutionResult =>
  errors.length ? { errors, data: answer.data } : { data: answer.data };

const emptyOf = (selection: Selection): Data => (selection.isOdd ? Object.create(null) : {});

function executeSelection(
  execution: Execution,
  selection: Selection,
  source: unknown,
  path: Path | undefined,
  place: Place,
): Data {
  const data = emptyOf(selection);
  try {
    for (const field of selection.fields) executeField(execution, field, source, path, place, data);
  } catch (error) {
    place.isDropped = true;
    throw error;
  }
  return data;
}

/** Puts the field's value into `data`, now or when it is there. Throws, located, what makes `data` null. */
function executeField(
  execution: Execution,
  field: FieldPlan,
  source: unknown,
  above: Path | undefined,
  place: Place,
  data: Data,
): void {
  const { key, shape } = field;
  if (field.property !== undefined) {
    const value = (source as Data)[field.property];
    if (!isPromise(value)) {
      data[key] = completeExposed(execution, field, value, above);
      return;
    }
  }
  const path: Path = { prev: above, key, typename: field.parentType.name };
  // The order of the answer is that of the request, whatever arrives first.
  data[key] = null;
  try {
    const info = execution.infoOf(field, path);
    const value = field.resolve(source, execution.argsOf(field), execution.context, info);
    const own = new Place(place, data, key, shape.isNullable);
    if (isPromise(value)) later({ execution, field, path, place: own, info }, shape, value);
    else data[key] = complete({ execution, field, path, place: own, info }, shape, value);
  } catch (error) {
    data[key] = failed(execution, field, error, path, shape.isNullable);
  }
}

/** A leaf that stands in its parent: what is at the path, or an item of the list that is. */
function completeExposed(
  execution: Execution,
  field: FieldPlan,
  value: unknown,
  above: Path | undefined,
  index?: number,
): unknown {
  const shape = field.shape as Shape & { kind: 'leaf' };
  // The commonest by far, which `serialize` would answer as they are.
  if (typeof value === shape.asIs) return value;
  try {
    return value == null ? nothing(field, shape) : completeLeaf(shape.type, value);
  } catch (error) {
    const prev = index === undefined ? above : { prev: above, key: index, typename: undefined };
    const path: Path = { prev, key: field.key, typename: field.parentType.name };
    return failed(execution, field, error, path, shape.isNullable);
  }
}

/** Null where the type allows it and the failure is noted; else the failure goes on up, with its place. */
function failed(
  execution: Execution,
  field: FieldPlan,
  error: unknown,
  path: Path,
  isNullable: boolean,
): null {
  const located = locatedError(error, field.nodes, pathOf(path));
  if (!isNullable) throw located;
  execution.errors.push(located);
  return null;
}

/** Where a value is completed. */
interface Spot {
  execution: Execution;
  field: FieldPlan;
  path: Path;
  place: Place;
  info: GraphQLResolveInfo;
}

/** Completes what a promise brings when it does; by then the place may have been let go of. */
function later(spot: Spot, shape: Shape, promise: PromiseLike<unknown>): void {
  whenKnown(spot, promise, (value) => complete(spot, shape, value));
}

/** Goes on when the promise settles. Null stands there until then. */
function whenKnown(spot: Spot, promise: PromiseLike<unknown>, next: (value: unknown) => unknown): null {
  const { execution, field, path, place } = spot;
  execution.pending++;
  const fail = (error: unknown) => {
    if (place.above?.isGone) return;
    execution.errors.push(locatedError(error, field.nodes, pathOf(path)));
    place.drop();
  };
  promise.then(
    (value) => {
      try {
        if (!place.isGone) (place.holder as Data)[place.key] = next(value);
      } catch (error) {
        fail(error);
      }
      execution.done();
    },
    (error) => {
      fail(error);
      execution.done();
    },
  );
  return null;
}

function nothing(field: FieldPlan, { isNullable }: Shape): null {
  if (isNullable) return null;
  throw new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.field.name}.`);
}

/** A resolver's value → what the answer shows of it. @see https://spec.graphql.org/October2021/#CompleteValue() */
function complete(spot: Spot, shape: Shape, value: unknown): unknown {
  if (value instanceof Error) throw value;
  if (value == null) return nothing(spot.field, shape);
  switch (shape.kind) {
    case 'leaf':
      return completeLeaf(shape.type, value);
    case 'object':
      return completeObject(spot, shape.type, value);
    case 'list':
      return completeList(spot, shape.item, value);
    case 'abstract':
      return completeAbstract(spot, shape.type, value);
  }
}

function completeLeaf(type: GraphQLLeafType, value: unknown): unknown {
  const shown = type.serialize(value);
  if (shown == null) {
    throw new Error(
      `Expected \`${type}.serialize(${value})\` to return non-nullable value, returned: ${shown}`,
    );
  }
  return shown;
}

function completeList(spot: Spot, item: Shape, value: unknown): unknown[] {
  const { execution, field, path, place } = spot;
  if (typeof value !== 'object' || !(Symbol.iterator in (value as object))) {
    throw new GraphQLError(
      `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.field.name}".`,
    );
  }
  const flat = flatSelection(spot, item);
  const list: unknown[] = [];
  let index = 0;
  for (const each of value as Iterable<unknown>) {
    const key = index++;
    try {
      if (flat && each != null && !isPromise(each) && !(each instanceof Error)) {
        list.push(executeFlat(execution, flat, each as Data, path, key));
        continue;
      }
      list.push(null);
      const own = {
        ...spot,
        path: { prev: path, key, typename: undefined },
        place: new Place(place, list, key, item.isNullable),
      };
      if (isPromise(each)) later(own, item, each);
      else list[key] = complete(own, item, each);
    } catch (error) {
      try {
        list[key] = failed(
          execution,
          field,
          error,
          { prev: path, key, typename: undefined },
          item.isNullable,
        );
      } catch (located) {
        place.isDropped = true;
        throw located;
      }
    }
  }
  return list;
}

/** What is asked of the items, where that needs neither a place nor a path of each. */
function flatSelection({ execution, field }: Spot, item: Shape): Selection | undefined {
  if (item.kind !== 'object' || item.type.isTypeOf) return undefined;
  const selection = selectionIn(execution.plan, field, item.type);
  return selection.isFlat ? selection : undefined;
}

function executeFlat(
  execution: Execution,
  selection: Selection,
  source: Data,
  above: Path,
  index: number,
): Data {
  const data = emptyOf(selection);
  for (const field of selection.fields) {
    const value = source[field.property!];
    data[field.key] =
      typeof value === (field.shape as Shape & { kind: 'leaf' }).asIs
        ? value
        : completeExposed(execution, field, value, above, index);
  }
  return data;
}

function completeObject(spot: Spot, type: GraphQLObjectType, value: unknown): unknown {
  const { execution, field, path, place, info } = spot;
  const selection = selectionIn(execution.plan, field, type);
  const go = (is: unknown) => {
    if (!is) throw new GraphQLError(`Expected value of type "${type.name}" but got another.`);
    return executeSelection(execution, selection, value, path, place);
  };
  const is = type.isTypeOf ? type.isTypeOf(value, execution.context, info) : true;
  return isPromise(is) ? whenKnown(spot, is, go) : go(is);
}

function completeAbstract(spot: Spot, type: GraphQLAbstractType, value: unknown): unknown {
  const { execution, info } = spot;
  const { schema } = execution.plan.selecting;
  const go = (name: unknown) => {
    const found = typeof name === 'string' ? schema.getType(name) : undefined;
    if (!isObjectType(found) || !schema.isSubType(type, found)) {
      throw new GraphQLError(
        `Abstract type "${type.name}" was resolved to "${name}", which is none of its own.`,
      );
    }
    return completeObject(spot, found, value);
  };
  const name = type.resolveType?.(value, execution.context, info, type);
  return isPromise(name) ? whenKnown(spot, name, go) : go(name);
}

function pathOf(path: Path): (string | number)[] {
  const steps: (string | number)[] = [];
  for (let step: Path | undefined = path; step; step = step.prev) steps.push(step.key);
  return steps.reverse();
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | null)?.then === 'function';
