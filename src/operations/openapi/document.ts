import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
} from 'graphql';
import type { ErrorCode } from '../../kernel/error-codes.ts';
import {
  codesByStatus,
  commonHeaders,
  failureAnswer,
  failureName,
  idempotencyKey,
  ofAll,
  ofBodies,
  ofPaths,
  requestIdHeader,
  securitySchemes,
} from '../../rest/openapi/common.ts';
import { schemasOf } from '../../rest/openapi/schema.ts';
import { answerSchemas } from '../../rest/view.ts';
import { type Operation, operationsPath, readOperations } from '../operation.ts';
import type { StreamOperation } from '../stream.ts';
import { examplesFrom } from './example.ts';
import { described, type Json, NamedSchemas } from './schemas.ts';
import { SelectionSchemas } from './selection.ts';
import { streamItem } from './stream.ts';
import { tagOf, tags } from './tags.ts';

const description = `All operations of the platform: every change, and reads of every object. Each is a GraphQL document that the server knows by its name, so that it has the rights, the errors and the limits of GraphQL. It is also a tool at \`/mcp\` and a command of \`trellis call\`.

- Every operation requires an access token, as \`Authorization: Bearer <token>\`.
- Reads are GET, with their arguments as query parameters. Objects and lists are JSON: \`?team={"name":"shop"}\`.
- Changes are POST, with their input as the body. With \`dryRun: true\`, where there is one, nothing is changed.
- References to objects have exactly one field: the \`id\` that every object has, or a name or number of it.
- Lists are paged: pass \`pageInfo.endCursor\` as \`after\`, or follow the \`Link\` with \`rel="next"\`.
- Changes take an \`Idempotency-Key\`: the same request with the same key changes nothing and has the same response.
- A change of an object that has a revision takes its \`ETag\` as \`If-Match\`, or its \`revision\` as \`expectedRevision\`, and fails with CONFLICT if the object has changed since.
- Errors are problem documents (RFC 9457). Use \`code\` in programs; \`issues\` lists every invalid field.
- Parts that could not be read are null, and the header \`Trellis-Warning\` names them.`;

/** Operations read from and write to what is outside: stores, registries and clusters. */
const outside: ErrorCode[] = [
  'STORE_REFUSED',
  'STORE_UNAVAILABLE',
  'REGISTRY_REFUSED',
  'REGISTRY_UNAVAILABLE',
  'REGION_UNAVAILABLE',
];
const ofReads: ErrorCode[] = [...ofAll, ...ofPaths, ...outside, 'FORBIDDEN', 'LIMIT_EXCEEDED'];
const ofChanges: ErrorCode[] = [...ofReads, ...ofBodies, 'CONFLICT', 'QUOTA_EXCEEDED'];

const headers = {
  ...commonHeaders,
  ETag: {
    description:
      'The strong entity tag of the changed object, for the `If-Match` of the next change: its `id` and its `revision`, joined by a dot.',
    schema: { type: 'string' },
  },
  Link: { description: 'The next page, as `<address>; rel="next"`.', schema: { type: 'string' } },
  Warning: {
    description: 'The parts of the response that could not be read and are null, with the reasons.',
    schema: { type: 'string' },
  },
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The strong entity tag of the object, which the body has to name by its `id`: its id and its `revision`, joined by a dot. CONFLICT if the object has changed since. Nothing is changed then. `*` is ignored.',
  schema: { type: 'string', maxLength: 4096 },
};

const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** The parts of an operation that have schemas, once all of them are named. */
interface Described {
  operation: Operation;
  parameters: Json[];
  body: Json | undefined;
  answer: Json;
}

/** A query parameter. Objects and lists are JSON. */
function parameterOf(named: NamedSchemas, type: GraphQLInputType, name: string, known: Json): Json {
  const schema = { ...named.given(type), ...(known.default !== undefined && { default: known.default }) };
  const isRequired = isNonNullType(type) && known.default === undefined;
  const isJson = isInputObjectType(getNamedType(type)) || isListType(getNullableType(type));
  return described(
    {
      name,
      in: 'query',
      ...(isRequired && { required: true }),
      // The page of the document fills in what is JSON, unless it is told that it can be left out.
      ...(isJson
        ? {
            content: {
              'application/json': { schema: { ...schema, ...(!isRequired && { 'x-optional': true }) } },
            },
          }
        : { schema }),
    },
    known.description as string | undefined,
  );
}

function describedOperation(
  schema: GraphQLSchema,
  operation: Operation,
  named: NamedSchemas,
  selections: SelectionSchemas,
): Described {
  const document: DocumentNode = parse(operation.query, { noLocation: true });
  const { variableDefinitions = [] } = document.definitions[0] as OperationDefinitionNode;
  const variables = variableDefinitions.map(({ variable, type }) => ({
    name: variable.name.value,
    type: typeFromAST(schema, type) as GraphQLInputType,
  }));
  const known = operation.inputSchema.properties as Record<string, Json>;
  return {
    operation,
    parameters: operation.takesInput
      ? []
      : variables.map(({ name, type }) => parameterOf(named, type, name, known[name]!)),
    body: operation.takesInput ? named.input(variables[0]!.type) : undefined,
    answer: selections.ofRoot(document),
  };
}

function pathItem({ operation, parameters, body, answer }: Described, named: Record<string, Json>): Json {
  const { isChange, path, title, operationName, target, isPaged } = operation;
  const example = examplesFrom(named);
  const failures = [...codesByStatus(isChange ? ofChanges : ofReads).keys()].map((status) => [
    status,
    refTo('responses', failureName(status)),
  ]);
  const withExample = (each: Json): Json => {
    const { content } = each as { content?: { 'application/json': Json } };
    const media = content?.['application/json'];
    // The page of the document fills in examples, so optional parameters have none.
    if (!each.required) return each;
    if (!media) return { ...each, example: example.input(each.schema as Json, String(each.name)) };
    const shown = { ...media, example: example.input(media.schema as Json) };
    return { ...each, content: { 'application/json': shown } };
  };
  return {
    [isChange ? 'post' : 'get']: {
      operationId: `${operationName[0]!.toLowerCase()}${operationName.slice(1)}`,
      tags: [tagOf(path)],
      summary: title,
      description: operation.description,
      parameters: [
        ...parameters.map(withExample),
        ...(target ? [refTo('parameters', 'IfMatch')] : []),
        ...(isChange ? [refTo('parameters', 'IdempotencyKey')] : []),
      ],
      ...(body && {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: body, example: example.input(body) } },
        },
      }),
      responses: {
        200: {
          description: 'Success.',
          headers: {
            ...requestIdHeader,
            'Trellis-Warning': refTo('headers', 'Warning'),
            ...(isChange && { ETag: refTo('headers', 'ETag') }),
            ...(isPaged && { Link: refTo('headers', 'Link') }),
            ...(isChange && { 'Idempotent-Replayed': refTo('headers', 'IdempotentReplayed') }),
          },
          content: { 'application/json': { schema: answer, example: example.output(answer) } },
        },
        ...Object.fromEntries(failures),
      },
    },
  };
}

/** The OpenAPI document of all operations. @see https://spec.openapis.org/oas/v3.1.1.html */
export function operationsDocument(schema: GraphQLSchema, streams: readonly StreamOperation[] = []) {
  const named = new NamedSchemas();
  const selections = new SelectionSchemas(schema, named);
  const all = readOperations(schema).map((each) => describedOperation(schema, each, named, selections));
  const { Problem } = schemasOf(answerSchemas, 'output');
  named.refTo('Problem', Problem, () => Problem!);
  const schemas = named.all();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trellis operations',
      version: '1.0.0',
      summary: 'Every change, and reads of every object, of an application platform.',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: operationsPath, description: 'This server.' }],
    security: [{ bearer: [] }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths: Object.fromEntries([
      ...all.map((each) => [`/${each.operation.path}`, pathItem(each, schemas)] as const),
      ...streams.map((each) => [`/${each.path}`, streamItem(each)] as const),
    ]),
    components: {
      securitySchemes: { bearer: securitySchemes.bearer },
      parameters: { IfMatch: ifMatch, IdempotencyKey: idempotencyKey },
      headers,
      responses: Object.fromEntries(
        [...codesByStatus(ofChanges)].map(([status, codes]) => [
          failureName(status),
          failureAnswer(status, codes),
        ]),
      ),
      schemas,
    },
  };
}
