import { readdirSync, readFileSync } from 'node:fs';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLInputFieldMap,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { copiedFile } from '../kernel/files.ts';
import { memoizeByIdentity } from '../kernel/memo.ts';
import { inputSchemaOf, type JsonSchema } from './json-schema.ts';

/** Where operations are served as REST. */
export const operationsPath = '/api/v1';

/** A GraphQL operation that a client can call by its name: as a tool, in REST and on the command line. */
export interface Operation {
  /** As a tool: `deploy_component`. */
  name: string;
  /** In REST and on the command line: `deploy-component`. */
  path: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
  /** Why it is no tool. */
  noTool: string | undefined;
  /** Whether it is listed as a tool at first: one of the reads and changes of daily work. */
  isDaily: boolean;
  /** The operation with the fragments that it uses. */
  query: string;
  operationName: string;
  isChange: boolean;
  /** Whether the change can be planned without being made, which a read-only token allows. */
  takesDryRun: boolean;
  /** Whether the arguments are the fields of the variable `input`. */
  takesInput: boolean;
  /** The argument that names the object whose revision the change can expect. */
  target: string | undefined;
  /** Whether the result is a list that has pages. */
  isPaged: boolean;
}

const folder = copiedFile('operations/');
const documents = new URL('documents/', folder);

/**
 * Reads the operations: a file each, with one operation that has one root field. The comment above it describes it, for a
 * mutation after what the schema says of it. `@destructive` and `@idempotent` tell clients what a change may do, `@daily`
 * that it is among the tools that are listed at first, and `@noTool` why it is no tool.
 */
export const readOperations = memoizeByIdentity((schema: GraphQLSchema): readonly Operation[] => {
  const shared = parse(readFileSync(new URL('fragments.graphql', folder), 'utf8'));
  const fragments = new Map(
    (shared.definitions as FragmentDefinitionNode[]).map((fragment) => [fragment.name.value, fragment]),
  );
  return readdirSync(documents)
    .sort()
    .map((file) => operationOf(file, readFileSync(new URL(file, documents), 'utf8'), schema, fragments));
});

/** The operations as documents that requests can name, by their names in REST and as tools. */
export const operationDocuments = (schema: GraphQLSchema) =>
  readOperations(schema).map(({ path, name, query }) => ({ id: path, text: query, aliases: [name] }));

function operationOf(
  file: string,
  text: string,
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Operation {
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
    path: file.replace('.graphql', ''),
    title: words,
    description: [
      ...(isChange ? [descriptionOf(schema, operation)] : []),
      ...comment.filter((line) => !isTags(line)),
    ].join(' '),
    noTool: /^@noTool (.*)$/m.exec(comment.join('\n'))?.[1],
    isDaily: tags.includes('@daily'),
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
    target: input && targetOf(input),
    isPaged: variables.after !== undefined,
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
          defaultValue: defaultValue && valueFromASTUntyped(defaultValue),
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

/** The reference that the description of `expectedRevision` names: `The revision that the component must have.` */
function targetOf(fields: GraphQLInputFieldMap): string | undefined {
  const [, name] =
    /^The revision that the (.+?) must have/.exec(fields.expectedRevision?.description ?? '') ?? [];
  if (!name) return undefined;
  const words = name.toLowerCase().replaceAll(' ', '');
  return Object.keys(fields).find(
    (field) => words.endsWith(field.toLowerCase()) && getNamedType(fields[field]!.type).name.endsWith('Ref'),
  );
}
