import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { z } from 'zod';
import { InvalidInputError, type Issue } from '../../kernel/errors.ts';
import { getOrCompute, memoizeByIdentity } from '../../kernel/memo.ts';
import { type ConnectionArgs, requirePageSize } from '../../kernel/page.ts';
import { issuesOf } from '../../kernel/validate.ts';
import { reachable } from './reachable.ts';

/** The most invalid arguments that are reported. */
const maxIssues = 10;

/** A field with arguments. */
interface Selected {
  /** From the operation or fragment. */
  path: string[];
  node: FieldNode;
  definition: GraphQLField<unknown, unknown>;
}

const selectedBy = memoizeByIdentity(
  (_: GraphQLSchema) => new WeakMap<OperationDefinitionNode, Selected[]>(),
);

/**
 * Throws INVALID_INPUT for arguments in the selection of a mutation, which would otherwise be validated after the change was made.
 * The arguments of the mutation itself are validated before it.
 */
export function requireSelectedArguments(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): void {
  const selected = getOrCompute(selectedBy(schema), operation, () => selectedIn(schema, document, operation));
  const issues: Issue[] = [];
  for (const { path, node, definition } of selected) {
    if (issues.length >= maxIssues) break;
    const found = issuesIn(definition, getArgumentValues(definition, node, values));
    issues.push(...found.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
  }
  if (issues.length > 0) throw new InvalidInputError(issues);
}

/** The fields below the mutations of an operation that have arguments. */
function selectedIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Selected[] {
  const selected: Selected[] = [];
  const types = new TypeInfo(schema);
  const path: string[] = [];
  const visitor = visitWithTypeInfo(types, {
    Field: {
      enter(node) {
        path.push(node.alias?.value ?? node.name.value);
        const definition = types.getFieldDef();
        if (definition && node.arguments?.length && types.getParentType() !== schema.getMutationType())
          selected.push({ path: [...path], node, definition });
      },
      leave: () => void path.pop(),
    },
  });
  for (const part of reachable(document, operation)) visit(part, visitor);
  return selected;
}

function issuesIn({ args: known }: GraphQLField<unknown, unknown>, args: Record<string, unknown>): Issue[] {
  const isConnection = known.some(({ name }) => name === 'last');
  try {
    if (isConnection) requirePageSize(args as ConnectionArgs);
  } catch (error) {
    if (error instanceof InvalidInputError) return error.issues;
    throw error;
  }
  return known.flatMap(({ name, extensions }) => {
    if (args[name] === undefined) return [];
    const result = (extensions.validator as z.ZodType | undefined)?.safeParse(args[name]);
    return result?.error
      ? issuesOf(result.error).map((issue) => ({ ...issue, path: [name, ...issue.path] }))
      : [];
  });
}
