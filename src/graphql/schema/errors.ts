import {
  type ApiError,
  ConflictError,
  type ErrorCode,
  errorMeaning,
  errorStatus,
  ForbiddenError,
  InvalidInputError,
  type Issue,
  NotFoundError,
  QuotaExceededError,
  StoreRefusedError,
  StoreUnavailableError,
} from '../../kernel/errors.ts';
import { builder } from './builder.ts';

const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description: 'Every error code, of GraphQL and REST alike.',
  values: Object.fromEntries(
    (Object.keys(errorStatus) as ErrorCode[]).map((code) => [
      code,
      { value: code, description: `${errorMeaning[code]} HTTP ${errorStatus[code]}.` },
    ]),
  ) as Record<ErrorCode, { value: ErrorCode; description: string }>,
});

const ErrorInterface = builder.interfaceRef<ApiError>('Error').implement({
  description: 'An expected failure of a mutation.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      description: 'The kind of failure.',
      resolve: (error) => error.code,
    }),
    message: t.exposeString('message', { description: 'What is wrong, for people.' }),
  }),
});

const InputIssue = builder.objectRef<Issue>('InputIssue').implement({
  description: 'One thing that is wrong with an input.',
  fields: (t) => ({
    path: t.field({
      type: ['String'],
      description: 'The path of the field from the arguments on: `["input", "port", "number"]`.',
      resolve: (issue) => issue.path.map(String),
    }),
    message: t.exposeString('message', { description: 'What is wrong with it.' }),
  }),
});

builder.objectType(InvalidInputError, {
  name: 'InvalidInputError',
  description: 'Fields of the input are wrong. Nothing was changed.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    issues: t.field({
      type: [InputIssue],
      description: 'Everything that is wrong.',
      resolve: (error) => error.issues,
    }),
  }),
});

builder.objectType(NotFoundError, {
  name: 'NotFoundError',
  description: 'Something that the input names is not there, or not for this caller.',
  interfaces: [ErrorInterface],
});

builder.objectType(ForbiddenError, {
  name: 'ForbiddenError',
  description: 'The caller may see it but not change it.',
  interfaces: [ErrorInterface],
});

builder.objectType(ConflictError, {
  name: 'ConflictError',
  description: 'A unique name is taken, or the state of the object does not allow the change.',
  interfaces: [ErrorInterface],
});

const QuotaResource = builder.enumType('QuotaResource', {
  description: 'What a quota limits.',
  values: {
    CPU: { value: 'cpuMillicores' as const, description: 'CPU requests, in millicores (1000 = 1 core).' },
    MEMORY: { value: 'memoryMiB' as const, description: 'Memory requests, in MiB.' },
  },
});

builder.objectType(QuotaExceededError, {
  name: 'QuotaExceededError',
  description: 'The change would take the team past its quota in the region. Nothing was changed.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    resource: t.field({
      type: QuotaResource,
      description: 'The resource whose quota would be exceeded.',
      resolve: (error) => error.resource,
    }),
    available: t.exposeFloat('available', {
      description: 'How much of the quota is left, in the unit of the resource.',
    }),
    requested: t.exposeFloat('requested', {
      description: 'How much more the change needs, in the unit of the resource.',
    }),
  }),
});

builder.objectType(StoreRefusedError, {
  name: 'StoreRefusedError',
  description: 'The app store refused the request. Nothing was changed.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    answered: t.exposeInt('answered', { description: 'The HTTP status that the store gave.' }),
  }),
});

builder.objectType(StoreUnavailableError, {
  name: 'StoreUnavailableError',
  description:
    'The app store did not answer in time, broke off, or sent what is no template. Nothing was changed.',
  interfaces: [ErrorInterface],
  fields: (t) => ({
    isLate: t.exposeBoolean('isLate', { description: 'Whether it did not answer in time.' }),
  }),
});

/** What any mutation can fail with. */
export const mutationErrors = [InvalidInputError, NotFoundError, ForbiddenError, ConflictError];
