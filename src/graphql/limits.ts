import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { ApiError } from '../kernel/errors.ts';
import { pageSize } from '../kernel/page.ts';

/** What one request may ask for. Pages multiply: without a bound a short text could ask for the whole database. */
export const limits = {
  /** Lexical tokens of a document. */
  tokens: 5_000,
  /** Selection sets inside each other. */
  depth: 40,
  /** Objects that the answer could hold, were every page full. */
  objects: 500_000,
  /** Fields, with those of every use of a fragment. */
  fields: 5_000,
} as const;

const tooMuch = (what: string, limit: number) =>
  new ApiError('INVALID_INPUT', `The request asks for too much: ${what}, at most ${limit}.`);

/** Refuses an operation over the limits. The introspection system is bounded by its own size. */
export function requireWithinLimits(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  let objects = 0;
  let fields = 0;
  const walk = (set: SelectionSetNode, depth: number, parents: number): void => {
    if (depth > limits.depth) throw tooMuch('selections nested too deep', limits.depth);
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment) walk(fragment.selectionSet, depth + 1, parents);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, depth + 1, parents);
      } else if (!selection.name.value.startsWith('__')) {
        if (++fields > limits.fields) throw tooMuch('fields', limits.fields);
        if (!selection.selectionSet) continue;
        const size = pageOf(selection, variables);
        if (size !== undefined) {
          objects += parents * size;
          if (objects > limits.objects) throw tooMuch('objects, were every page full', limits.objects);
        }
        walk(selection.selectionSet, depth + 1, parents * (size ?? 1));
      }
    }
  };
  walk(operation.selectionSet, 0, 1);
}

/** The size of the page that a connection field asks for; nothing for other fields. */
function pageOf(field: FieldNode, variables: Record<string, unknown>): number | undefined {
  for (const argument of field.arguments ?? []) {
    if (argument.name.value !== 'first' && argument.name.value !== 'last') continue;
    const value =
      argument.value.kind === Kind.INT
        ? Number(argument.value.value)
        : argument.value.kind === Kind.VARIABLE
          ? variables[argument.value.name.value]
          : undefined;
    if (typeof value === 'number') return Math.min(Math.max(value, 0), pageSize.max);
  }
  const isConnection = field.selectionSet?.selections.some(
    (selection) =>
      selection.kind === Kind.FRAGMENT_SPREAD ||
      (selection.kind === Kind.FIELD &&
        (selection.name.value === 'nodes' || selection.name.value === 'edges')),
  );
  return isConnection ? pageSize.default : undefined;
}
