import { readdirSync, readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  TypeInfo,
  typeFromAST,
  valueFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { inputSchemaOf, type JsonSchema } from './json-schema.ts';

/** A GraphQL operation that a client can call by its name. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
  /** The operation with the fragments that it uses. */
  query: string;
  operationName: string;
  isChange: boolean;
  /** Whether the change can be planned without being made, which a read-only token allows. */
  takesDryRun: boolean;
  /** Whether the arguments are the fields of the variable `input`. */
  takesInput: boolean;
}

const folder = new URL('./documents/', import.meta.url);

/**
 * Reads the tools: a file each, with one operation. The comment above the operation describes it, for a mutation after what
 * the schema says of it. `@destructive` and `@idempotent` tell clients what a change may do.
 */
export function readTools(schema: GraphQLSchema): Tool[] {
  const shared = parse(readFileSync(new URL('./fragments.graphql', import.meta.url), 'utf8'));
  const fragments = new Map(
    (shared.definitions as FragmentDefinitionNode[]).map((fragment) => [fragment.name.value, fragment]),
  );
  return readdirSync(folder)
    .sort()
    .map((file) => toolOf(file, readFileSync(new URL(file, folder), 'utf8'), schema, fragments));
}

function toolOf(
  file: string,
  text: string,
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Tool {
  const document = parse(text, { noLocation: true });
  const operation = document.definitions[0] as OperationDefinitionNode;
  const comment = [...text.matchAll(/^# (.*)$/gm)].map(([, line]) => line!);
  const isTags = (line: string) => line.startsWith('@');
  const tags = comment.filter(isTags).join(' ');
  const isChange = operation.operation === 'mutation';
  const operationName = operation.name!.value;
  const variables = variablesOf(schema, document);
  const input = variables.input && inputFieldsOf(variables.input.type);
  const words = operationName
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(http|tcp)\b/, (name) => name.toUpperCase());
  return {
    name: file.replace('.graphql', '').replaceAll('-', '_'),
    title: words,
    description: [
      ...(isChange ? [descriptionOf(schema, operation)] : []),
      ...comment.filter((line) => !isTags(line)),
    ].join(' '),
    inputSchema: inputSchemaOf(input ?? variables),
    annotations: {
      readOnlyHint: !isChange,
      ...(isChange && {
        destructiveHint: tags.includes('@destructive'),
        idempotentHint: tags.includes('@idempotent'),
      }),
    },
    query: [operation, ...fragmentsOf(operation, fragments)].map(print).join('\n\n'),
    operationName,
    isChange,
    takesDryRun: input?.dryRun !== undefined,
    takesInput: input !== undefined,
  };
}

/** The description of the mutation, without the name of its REST operation. */
function descriptionOf(schema: GraphQLSchema, operation: OperationDefinitionNode): string {
  const [field] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD) return '';
  const { description } = schema.getMutationType()!.getFields()[field.name.value]!;
  return (description ?? '').replace(/ REST: .*$/, '');
}

interface Variable {
  type: GraphQLInputType;
  defaultValue: unknown;
  description: string | null | undefined;
}

/** The variables of an operation, each with the description of the argument that it is used for. */
function variablesOf(schema: GraphQLSchema, document: DocumentNode): Record<string, Variable> {
  const variables: Record<string, Variable> = {};
  const types = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(types, {
      VariableDefinition({ variable, type: node, defaultValue }) {
        const type = typeFromAST(schema, node) as GraphQLInputType;
        variables[variable.name.value] = {
          type,
          defaultValue: defaultValue && valueFromAST(defaultValue, type),
          description: undefined,
        };
        return false;
      },
      Variable({ name }) {
        variables[name.value]!.description ??= types.getArgument()?.description;
      },
    }),
  );
  return variables;
}

function inputFieldsOf(type: GraphQLInputType) {
  const inner = isNonNullType(type) ? type.ofType : type;
  return isInputObjectType(inner) ? inner.getFields() : undefined;
}

/** The fragments that a node uses, and those that these use. */
function fragmentsOf(
  node: OperationDefinitionNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Set<FragmentDefinitionNode> {
  const used = new Set<FragmentDefinitionNode>();
  const collect = (from: OperationDefinitionNode | FragmentDefinitionNode) => {
    visit(from, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value)!;
        if (used.has(fragment)) return;
        used.add(fragment);
        collect(fragment);
      },
    });
  };
  collect(node);
  return used;
}
