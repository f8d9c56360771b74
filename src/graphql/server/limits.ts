import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  type SelectionSetNode,
  Source,
  TokenKind,
  type ValueNode,
} from 'graphql';
import { InvalidInputError, LimitExceededError, type LimitName } from '../../kernel/errors.ts';
import type { LimitUsage } from '../../kernel/explain.ts';
import type { Limits } from '../../kernel/limits.ts';
import { pageSize } from '../../kernel/page.ts';

export const exceeded = (limit: string, name: LimitName) =>
  new LimitExceededError(`The request exceeds the limit of ${limit}.`, name);

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** The most lines of a document, for each token that it may have. They are counted if it has errors, to say where these are. */
const linesOfToken = 2;

/** The longest name in a document. Each error of a field repeats the names in its path. */
const maxNameLength = 255;

/**
 * Counts the tokens, nested brackets and lines of a document before it is parsed. Throws LIMIT_EXCEEDED if there are too many.
 */
export function requireParsable(text: string, limits: Pick<Limits, 'tokens' | 'brackets'>) {
  const lexer = new Lexer(new Source(text));
  const maxLines = linesOfToken * limits.tokens;
  let [tokens, depth, brackets] = [0, 0, 0];
  while (lexer.advance().kind !== TokenKind.EOF) {
    if (++tokens > limits.tokens) throw exceeded(`${limits.tokens} lexical tokens`, 'LIMIT_TOKENS');
    if (lexer.token.kind === TokenKind.NAME && lexer.token.value.length > maxNameLength) {
      throw new InvalidInputError([
        { path: [], message: `A name in a document can have at most ${maxNameLength} characters` },
      ]);
    }
    if (opening.has(lexer.token.kind)) depth++;
    if (closing.has(lexer.token.kind)) depth--;
    if (depth > limits.brackets) throw exceeded(`${limits.brackets} nested brackets`, 'LIMIT_BRACKETS');
    if (depth > brackets) brackets = depth;
  }
  if (lexer.line > maxLines) throw exceeded(`${maxLines} lines in a document`, 'LIMIT_TOKENS');
  return { tokens, brackets };
}

/**
 * Throws LIMIT_EXCEEDED if an operation exceeds the limits. `used` gets how much of them it uses. Returns the number of
 * fields.
 */
export function requireWithinLimits(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  limits: Pick<Limits, 'depth' | 'fields' | 'objects'>,
  used?: LimitUsage,
): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const values = { ...defaultsOf(operation), ...variables };
  const asksForItems = itemsAskedIn(fragments);
  let objects = 0;
  let fields = 0;
  let deepest = 0;
  const walk = (set: SelectionSetNode, depth: number, parents: number): void => {
    if (depth > limits.depth) throw exceeded(`${limits.depth} nested selections`, 'LIMIT_DEPTH');
    if (depth > deepest) deepest = depth;
    for (const selection of set.selections) {
      // Fragments count as well, because nested fragments can multiply with few fields.
      if (++fields > limits.fields) throw exceeded(`${limits.fields} fields`, 'LIMIT_FIELDS');
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value);
        if (fragment) walk(fragment.selectionSet, depth + 1, parents);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, depth + 1, parents);
      } else if (selection.selectionSet) {
        const size =
          pageOf(selection, values) ?? (asksForItems(selection.selectionSet) ? pageSize.default : undefined);
        if (size !== undefined) {
          objects += parents * size;
          if (objects > limits.objects) {
            throw exceeded(`${limits.objects} objects if every page were full`, 'LIMIT_OBJECTS');
          }
        }
        walk(selection.selectionSet, depth + 1, parents * (size ?? 1));
      }
    }
  };
  walk(operation.selectionSet, 0, 1);
  if (used) Object.assign(used, { LIMIT_DEPTH: deepest, LIMIT_FIELDS: fields, LIMIT_OBJECTS: objects });
  return fields;
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode): Record<string, unknown> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, plain(defaultValue)]] : [],
    ),
  );
}

/** The number of objects that the arguments of a field request: its page size or the number of its ids. */
function pageOf(field: FieldNode, variables: Record<string, unknown>): number | undefined {
  for (const { name, value } of field.arguments ?? []) {
    const argument = value.kind === Kind.VARIABLE ? variables[value.name.value] : plain(value);
    if ((name.value === 'first' || name.value === 'last') && typeof argument === 'number') {
      return Math.min(Math.max(argument, 0), pageSize.max);
    }
    if (namedBy.has(name.value)) return Array.isArray(argument) ? argument.length : 1;
  }
  return undefined;
}

/**
 * Whether a selection is on a connection, directly or in a fragment. Looks into each fragment once: those that use others twice
 * have as many uses as two to the power of their number.
 */
function itemsAskedIn(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
  const asksByFragment = new Map<string, boolean>();
  const inFragment = (name: string): boolean => {
    let asks = asksByFragment.get(name);
    if (asks === undefined) {
      // For a fragment that uses itself.
      asksByFragment.set(name, false);
      asks = inSet(fragments.get(name)?.selectionSet);
      asksByFragment.set(name, asks);
    }
    return asks;
  };
  const inSet = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return ['nodes', 'edges'].includes(selection.name.value);
      if (selection.kind === Kind.FRAGMENT_SPREAD) return inFragment(selection.name.value);
      return inSet(selection.selectionSet);
    }) ?? false;
  return inSet;
}

/** The arguments that list the objects that a field returns. */
const namedBy = new Set(['ids', 'of']);

/** The value of a number literal, or the items of a list literal. */
const plain = (value: ValueNode): unknown =>
  value.kind === Kind.INT ? Number(value.value) : value.kind === Kind.LIST ? value.values : undefined;
