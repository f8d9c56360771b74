import { readdirSync, readFileSync } from 'node:fs';
import {
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputFieldMap,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isNonNullType,
  type OperationDefinitionNode,
  parse,
  print,
  TokenKind,
  TypeInfo,
  typeFromAST,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { inSlices } from '../kernel/event-loop.ts';
import { copiedFile } from '../kernel/files.ts';
import { memoizeByIdentity } from '../kernel/memo.ts';
import { changeDocument, optionsOf } from './change.ts';
import { inputSchemaOf, type JsonSchema } from './json-schema.ts';
import { outputSchemaOf } from './output-schema.ts';
import { queryDocument } from './query.ts';

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
  /** Of its result as a tool. */
  outputSchema: JsonSchema;
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

function* eachOperation(schema: GraphQLSchema): Generator<Operation> {
  const shared = parse(readFileSync(new URL('fragments.graphql', folder), 'utf8'));
  const fragments = new Map(
    (shared.definitions as FragmentDefinitionNode[]).map((fragment) => [fragment.name.value, fragment]),
  );
  const ofType = new Map([...fragments].map(([name, { typeCondition }]) => [typeCondition.name.value, name]));
  for (const field of Object.values(schema.getMutationType()!.getFields())) {
    yield operationOf(schema, fragments, changeDocument(schema, field, ofType), ofMutation(field));
  }
  for (const file of readdirSync(documents)) {
    for (const each of parse(readFileSync(new URL(file, documents), 'utf8')).definitions) {
      const query = each as OperationDefinitionNode;
      yield operationOf(schema, fragments, queryDocument(schema, query, ofType), ofQuery(query));
    }
  }
}

const begun = (schema: GraphQLSchema) => ({ made: [] as Operation[], rest: eachOperation(schema) });

/** The operations that are made, and those that are not yet. */
const making = memoizeByIdentity(begun);

function* makeAll(schema: GraphQLSchema): Generator<void, void> {
  const state = making(schema);
  try {
    for (let next = state.rest.next(); !next.done; next = state.rest.next()) {
      state.made.push(next.value);
      yield;
    }
  } catch (error) {
    // After a failure, such as too many open files, they are made anew.
    Object.assign(state, begun(schema));
    throw error;
  }
}

/** Makes what `readOperations` returns, which takes a while, so that other requests do not wait for it. */
export const prepareOperations = (schema: GraphQLSchema): Promise<void> => inSlices(makeAll(schema));

/**
 * The operations: one for each mutation, from its declaration, and one for each query in the documents, which has one root
 * field. The comment above a query describes it; `@daily` says that it is among the tools that are listed at first, and
 * `@noTool` why it is no tool.
 */
export const readOperations = memoizeByIdentity((schema: GraphQLSchema): readonly Operation[] => {
  for (const _ of makeAll(schema));
  return making(schema).made.sort((one, other) => (one.path < other.path ? -1 : 1));
});

/** The operations as documents that requests can name, by their names in REST and as tools. */
export const operationDocuments = (schema: GraphQLSchema) =>
  readOperations(schema).map(({ path, name, query }) => ({ id: path, text: query, aliases: [name] }));

/** The options in the declaration of an operation. */
type Declared = Pick<Operation, 'description' | 'annotations' | 'isDaily' | 'noTool'>;

/** How the descriptions of mutations begin that change nothing that is there. */
const additive =
  /^(Adds|Creates|Installs|Lets|Makes a component depend|Offers|Opens|Publishes|Sends|Starts) /;

function ofMutation(field: GraphQLField<unknown, unknown>): Declared {
  const { isDaily = false, noTool, advice } = optionsOf(field);
  const description = (field.description ?? '').replace(/ REST: .*$/, '');
  return {
    description: advice ? `${description} ${advice}` : description,
    annotations: {
      readOnlyHint: false,
      destructiveHint: !additive.test(description),
      idempotentHint: field.description!.includes('Idempotent.'),
    },
    isDaily,
    noTool,
  };
}

function ofQuery(query: OperationDefinitionNode): Declared {
  const comment: string[] = [];
  for (let token = query.loc!.startToken.prev; token?.kind === TokenKind.COMMENT; token = token.prev)
    comment.unshift(token.value.trim());
  return {
    description: comment.filter((line) => !line.startsWith('@')).join(' '),
    annotations: { readOnlyHint: true },
    isDaily: comment.includes('@daily'),
    noTool: /^@noTool (.*)$/m.exec(comment.join('\n'))?.[1],
  };
}

function operationOf(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  operation: OperationDefinitionNode,
  declared: Declared,
): Operation {
  const operationName = operation.name!.value;
  const path = operationName.replaceAll(/(?!^)[A-Z]/g, '-$&').toLowerCase();
  const variables = variablesOf(schema, operation);
  const input = variables.input && inputFieldsOf(variables.input.type);
  const words = operationName
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(http|tcp)\b/, (name) => name.toUpperCase());
  return {
    ...declared,
    name: path.replaceAll('-', '_'),
    path,
    title: words,
    inputSchema: inputSchemaOf(input ?? variables),
    outputSchema: outputSchemaOf(schema, operation),
    query: [operation, ...fragmentsOf(operation, fragments)].map(print).join('\n\n'),
    operationName,
    isChange: operation.operation === 'mutation',
    takesDryRun: input?.dryRun !== undefined,
    takesInput: input !== undefined,
    target: input && targetOf(input),
    isPaged: variables.after !== undefined,
  };
}

interface Variable {
  type: GraphQLInputType;
  defaultValue: unknown;
  description: string | null | undefined;
}

/** The variables of an operation, each with the description of the argument that it is used for. */
function variablesOf(schema: GraphQLSchema, operation: OperationDefinitionNode): Record<string, Variable> {
  const variables: Record<string, Variable> = {};
  const types = new TypeInfo(schema);
  visit(
    operation,
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

/** The reference that the description of `expectedRevision` names: `The expected revision of the component.` */
function targetOf(fields: GraphQLInputFieldMap): string | undefined {
  const [, name] =
    /^The expected revision of the (.+?)\. Fails/.exec(fields.expectedRevision?.description ?? '') ?? [];
  if (!name) return undefined;
  const words = name.toLowerCase().replaceAll(' ', '');
  return Object.keys(fields).find(
    (field) => words.endsWith(field.toLowerCase()) && getNamedType(fields[field]!.type).name.endsWith('Ref'),
  );
}
