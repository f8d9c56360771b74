import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLObjectType,
  isObjectType,
} from 'graphql';
import { type Data, type Execution, type Path, ResponseSlot } from './execution.ts';
import type { FieldPlan, Selection, Shape } from './field-plan.ts';
import {
  completeExposed,
  completeLeaf,
  countedLeaf,
  emptyOf,
  executeFlat,
  isPromise,
  nothing,
} from './leaf.ts';
import { selectionIn } from './plan.ts';
import { failLater, type Spot, soon, whenKnown } from './waiting.ts';

/**
 * The fields of an object that are available now. The remaining ones are executed until the time slice ends, and the rest
 * after other requests have run. Throws a located error if the object becomes null.
 */
export function executeSelection(
  execution: Execution,
  selection: Selection,
  source: unknown,
  path: Path | undefined,
  slot: ResponseSlot,
  data = emptyOf(selection),
  from = 0,
): Data {
  const { fields } = selection;
  for (let index = from; index < fields.length; index++) {
    executeField(execution, fields[index]!, source, path, slot, data);
    const next = index + 1;
    if (execution.isPaused && next < fields.length) {
      // Reserves the keys, so that the response has the order of the request.
      for (let rest = next; rest < fields.length; rest++) data[fields[rest]!.key] = null;
      const go = () => void executeSelection(execution, selection, source, path, slot, data, next);
      execution.goOnLater(slot, go, (error) => execution.drop(slot, error));
      return data;
    }
  }
  execution.add(selection);
  return data;
}

/** Sets the field in `data`, now or when its value arrives. Throws a located error if `data` becomes null. */
export function executeField(
  execution: Execution,
  field: FieldPlan,
  source: unknown,
  above: Path | undefined,
  slot: ResponseSlot,
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
  const own = new ResponseSlot(slot, data, key, shape.isNullable);
  // Reserves the key, so that the response has the order of the request.
  data[key] = null;
  try {
    const args = execution.argsOf(field);
    const value = field.resolve(source, args, execution.context, execution.infoOf(field, path));
    data[key] = completeSoon({ execution, field, path, slot: own }, shape, value);
    execution.addResolved();
  } catch (error) {
    own.isDropped = true;
    data[key] = execution.failed(field, error, path, shape.isNullable);
    execution.addResolved();
  }
}

/** Completes a value, or the value of a promise when it resolves. */
const completeSoon = (spot: Spot, shape: Shape, value: unknown): unknown =>
  isPromise(value)
    ? whenKnown({ spot, shape, next: complete, others: undefined }, value)
    : complete(spot, shape, value);

/** Converts a resolver's value to its form in the response. @see https://spec.graphql.org/October2021/#CompleteValue() */
function complete(spot: Spot, shape: Shape, value: unknown): unknown {
  if (value instanceof Error) throw value;
  if (value == null) return nothing(spot.field, shape);
  switch (shape.kind) {
    case 'leaf':
      return countedLeaf(spot.execution, completeLeaf(shape.type, value));
    case 'object':
      return completeObject(spot, shape.type, value);
    case 'list':
      return completeList(spot, shape.item, value);
    case 'abstract':
      return completeAbstract(spot, shape.type, value);
  }
}

function completeList(spot: Spot, item: Shape, value: unknown): unknown[] {
  const { field } = spot;
  if (typeof value !== 'object' || typeof (value as Iterable<unknown>)[Symbol.iterator] !== 'function') {
    throw new GraphQLError(
      `Expected Iterable, but did not find one for field "${field.parentType.name}.${field.field.name}".`,
    );
  }
  const list: unknown[] = [];
  fill(spot, item, list, (value as Iterable<unknown>)[Symbol.iterator]());
  return list;
}

/** Completes the remaining items until the time slice ends, and the rest after other requests have run. */
function fill(spot: Spot, item: Shape, list: unknown[], items: Iterator<unknown>): void {
  const { execution, field, path, slot } = spot;
  let flat: Selection | undefined;
  for (let next = items.next(); !next.done; next = items.next()) {
    const each = next.value;
    const key = list.length;
    // Added before it is completed, so that items that are added meanwhile come after it.
    list.push(null);
    let own: ResponseSlot | undefined;
    try {
      let data: Data | undefined;
      if (item.kind === 'object' && !item.type.isTypeOf && isPlain(each)) {
        flat ??= selectionIn(execution.plan, field, item.type);
        if (flat.isFlat) data = executeFlat(execution, flat, each as Data, path, key);
      }
      if (data) {
        list[key] = data;
      } else {
        own = new ResponseSlot(slot, list, key, item.isNullable);
        const its: Spot = { ...spot, path: { prev: path, key, typename: undefined }, slot: own };
        list[key] = completeSoon(its, item, each);
      }
    } catch (error) {
      if (own) own.isDropped = true;
      try {
        list[key] = execution.failed(field, error, { prev: path, key, typename: undefined }, item.isNullable);
      } catch (failure) {
        restOf(items);
        throw failure;
      }
    }
    if (execution.isPaused) {
      fillLater(spot, item, list, items);
      return;
    }
  }
}

/** The remaining items. Rejections of their promises are ignored, because they may never be completed. */
function restOf(items: Iterator<unknown>): unknown[] {
  const rest: unknown[] = [];
  for (let next = items.next(); !next.done; next = items.next()) {
    rest.push(next.value);
    if (isPromise(next.value)) next.value.then(undefined, () => {});
  }
  return rest;
}

function fillLater(spot: Spot, item: Shape, list: unknown[], items: Iterator<unknown>): void {
  const rest = restOf(items).values();
  const go = () => fill(spot, item, list, rest);
  spot.execution.goOnLater(spot.slot, go, (error) => failLater(spot, error));
}

const isPlain = (value: unknown) => value != null && !(value instanceof Error) && !isPromise(value);

function completeObject(spot: Spot, type: GraphQLObjectType, value: unknown): unknown {
  const { execution, field, path, slot } = spot;
  const selection = selectionIn(execution.plan, field, type);
  if (!type.isTypeOf) return executeSelection(execution, selection, value, path, slot);
  const go = (is: unknown) => {
    if (!is) throw new GraphQLError(`Expected value of type "${type.name}" but got another.`);
    return executeSelection(execution, selection, value, path, slot);
  };
  return soon(spot, type.isTypeOf(value, execution.context, infoOf(spot)), go);
}

/** The same for all items of a list: it has the path of the field. */
function infoOf({ execution, field, path }: Spot) {
  let ofField = path;
  while (typeof ofField.key === 'number') ofField = ofField.prev!;
  return execution.infoOf(field, ofField);
}

function completeAbstract(spot: Spot, type: GraphQLAbstractType, value: unknown): unknown {
  const { execution } = spot;
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
  return soon(
    spot,
    (type.resolveType ?? defaultTypeResolver)(value, execution.context, infoOf(spot), type),
    go,
  );
}
