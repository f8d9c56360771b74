import type { GraphQLLeafType } from 'graphql';
import type { Data, Execution, Path } from './execution.ts';
import type { FieldPlan, Selection, Shape } from './field-plan.ts';

type LeafShape = Shape & { kind: 'leaf' };

/** Completes a leaf value at a path. */
export function completeExposed(
  execution: Execution,
  field: FieldPlan,
  value: unknown,
  above: Path | undefined,
  index?: number,
): unknown {
  const shape = field.shape as LeafShape;
  // The most common values, which `serialize` would not change.
  if (typeof value === shape.asIs) {
    if (typeof value === 'string') execution.text += value.length;
    return value;
  }
  try {
    if (typeof value === 'object' && value instanceof Error) throw value;
    if (value == null) return nothing(field, shape);
    return countedLeaf(execution, completeLeaf(shape.type, value));
  } catch (error) {
    const prev = index === undefined ? above : { prev: above, key: index, typename: undefined };
    const path: Path = { prev, key: field.key, typename: field.parentType.name };
    return execution.failed(field, error, path, shape.isNullable);
  }
}

export function completeLeaf(type: GraphQLLeafType, value: unknown): unknown {
  const shown = type.serialize(value);
  if (shown == null) {
    throw new Error(
      `Expected \`${type}.serialize(${value})\` to return non-nullable value, returned: ${shown}`,
    );
  }
  return shown;
}

export function countedLeaf(execution: Execution, shown: unknown): unknown {
  if (typeof shown === 'string') execution.text += shown.length;
  return shown;
}

export function nothing(field: FieldPlan, { isNullable }: Shape): null {
  if (isNullable) return null;
  throw new Error(`Cannot return null for non-nullable field ${field.parentType.name}.${field.field.name}.`);
}

/** Completes an object whose fields are all properties. Undefined if one of them is a promise. */
export function executeFlat(
  execution: Execution,
  selection: Selection,
  source: Data,
  above: Path,
  index: number,
): Data | undefined {
  const data = emptyOf(selection);
  let text = 0;
  for (const field of selection.fields) {
    const value = source[field.property!];
    if (typeof value === (field.shape as LeafShape).asIs) {
      data[field.key] = value;
      if (typeof value === 'string') text += value.length;
    } else if (isPromise(value)) return undefined;
    else data[field.key] = completeExposed(execution, field, value, above, index);
  }
  execution.text += text;
  execution.add(selection);
  return data;
}

export const emptyOf = (selection: Selection): Data => (selection.isOdd ? Object.create(null) : {});

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && typeof (value as PromiseLike<unknown> | null)?.then === 'function';
