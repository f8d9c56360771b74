import {
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isUnionType,
  responsePathAsArray,
} from 'graphql';
import { createGraphQLError } from 'graphql-yoga';
import type { Context } from '../../context.ts';
import { type ErrorCode, errorMeaning, errorStatus } from '../../kernel/error-codes.ts';
import {
  type ApiError,
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  type Issue,
  NotFoundError,
  QuotaExceededError,
  StoreRefusedError,
  StoreUnavailableError,
} from '../../kernel/errors.ts';
import { noteError } from '../../kernel/telemetry.ts';
import { builder } from './builder.ts';
import { isSelected } from './columns.ts';
import { type Exposed, exposed, property } from './exposed.ts';
import { objectType } from './object-type.ts';

const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'The error codes of the GraphQL and REST APIs.',
  values: Object.fromEntries(
    (Object.keys(errorStatus) as ErrorCode[]).map((code) => [
      code,
      { value: code, description: `${errorMeaning[code]} HTTP ${errorStatus[code]}.` },
    ]),
  ) as Record<ErrorCode, { value: ErrorCode; description: string }>,
});

const ErrorInterface = builder.interfaceRef<ApiError>('Error').implement({
  description: 'An error that a mutation can return.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      description: 'The error code.',
      resolve: (error) => error.code,
    }),
    message: t.exposeString('message', {
      description: 'A human-readable message: what is wrong and, where possible, how to fix it.',
    }),
  }),
});

const InputIssue = objectType<Issue>('InputIssue', {
  description: 'A problem with one field of the input.',
  exposes: {
    'message: String!': 'A description of the problem.',
    'line: Int': 'The line of the field in a document, counted from 1. Null for other inputs.',
    'column: Int': 'The column of the field in a document, counted from 1. Null for other inputs.',
  },
  fields: (t) => ({
    path: t.field({
      type: ['String'],
      description: 'The path of the field, starting at the argument: `["input", "port", "number"]`.',
      resolve: (issue) => issue.path.map(String),
    }),
  }),
});

function errorType<E extends ApiError>(
  error: new (...args: never[]) => E,
  description: string,
  exposes?: Exposed<E>,
): void {
  builder.objectType(error as new (...args: never[]) => ApiError as new () => ApiError, {
    name: error.name,
    description,
    interfaces: [ErrorInterface],
    fields: (t) => exposed<ApiError>(t, exposes as Exposed<ApiError>) as Record<never, never>,
  });
}

errorType(InvalidInputError, 'The input is invalid. Nothing was changed.', {
  issues: property([InputIssue], 'All problems of the input.'),
});
errorType(NotFoundError, 'An object in the input does not exist or is not visible to the caller.');
errorType(ForbiddenError, 'The caller can view the object but not change it.');
errorType(
  ConflictError,
  'A unique name is already taken, or the state of the object does not allow the change.',
);

const QuotaResource = builder.enumType('QuotaResource', {
  description: 'A resource that a quota limits.',
  values: {
    CPU: { value: 'cpuMillicores' as const, description: 'CPU requests, in millicores (1000 = 1 core).' },
    MEMORY: { value: 'memoryMiB' as const, description: 'Memory requests, in MiB.' },
  },
});

errorType(
  QuotaExceededError,
  'The change would exceed the quota of the team in the region. Nothing was changed.',
  {
    resource: property(QuotaResource, 'The resource whose quota would be exceeded.'),
    'available: Float!': 'The unused part of the quota, in the unit of the resource.',
    'requested: Float!': 'The additional amount that the change needs, in the unit of the resource.',
  },
);
errorType(StoreRefusedError, 'The app store rejected the request. Nothing was changed.', {
  'answered: Int!': "The HTTP status code of the app store's response.",
});
errorType(
  StoreUnavailableError,
  'The app store did not respond in time, closed the connection, or sent an invalid template. Nothing was changed.',
  { 'isLate: Boolean!': 'Whether the app store timed out.' },
);

/** The errors that every mutation can return. */
export const mutationErrors = [InvalidInputError, NotFoundError, ForbiddenError, ConflictError];

/**
 * Lets a request know of the errors that its mutations return, which are part of the data of the response. Those of which
 * the document selects nothing are added to the errors of the response, because its data would be an empty object.
 */
export function withNotedErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const { type } of Object.values(schema.getMutationType()!.getFields())) {
    const union = getNamedType(type);
    if (!isUnionType(union)) continue;
    const { resolveType } = union;
    union.resolveType = (value, context: Context, info, abstract) => {
      const name = resolveType!(value, context, info, abstract);
      // The plugin returns a proxy of the error, which `instanceof` does not detect.
      const error = value as Partial<ApiError>;
      if (error.code !== undefined && error.code in errorStatus) {
        noteError(context.facts, error as ApiError);
        if (typeof name === 'string' && !isSelected(info, name)) {
          context.unselectedErrors ??= [];
          context.unselectedErrors.push(unselectedError(error as ApiError, context, info));
        }
      }
      return name;
    };
  }
  return schema;
}

function unselectedError(error: ApiError, { requestId }: Context, { path, fieldNodes }: GraphQLResolveInfo) {
  const { code, message, issues } = error as ApiError & Partial<InvalidInputError>;
  return createGraphQLError(message, {
    nodes: fieldNodes,
    path: responsePathAsArray(path),
    extensions: { code, ...(issues && { issues }), requestId },
  });
}
