import { type Kind, qualifiedKind, resourceName } from './kinds.ts';

export interface Cause {
  reason: string;
  message: string;
  field: string;
}

/** What an API server answers. A body that is a string is plain text. */
export interface Answer {
  status: number;
  body: any;
  headers?: Record<string, string>;
}

/** A failure, as an API server tells it. */
export class Failure extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(typeof answer.body === 'string' ? answer.body : answer.body.message);
    this.answer = answer;
  }
}

/** A `Status` that tells a failure. */
export function failure(
  code: number,
  reason: string | undefined,
  message: string,
  details?: object,
  headers?: Record<string, string>,
): Failure {
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason && { reason }),
    ...(details && { details }),
    code,
  };
  return new Failure({ status: code, body, ...(headers && { headers }) });
}

const ofGroup = ({ group }: Pick<Kind, 'group'>) => (group === '' ? {} : { group });
const named = (kind: Kind, name: string) => ({
  ...(name && { name }),
  ...ofGroup(kind),
  kind: kind.plural,
});

export const notFound = (kind: Kind, name: string) =>
  failure(404, 'NotFound', `${resourceName(kind)} "${name}" not found`, named(kind, name));

export const unknownResource = () =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {});

export const unknownPath = () =>
  new Failure({
    status: 404,
    body: '404 page not found\n',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  });

export const notAllowed = () =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const badRequest = (message: string) => failure(400, 'BadRequest', message);

export const conflict = (kind: Kind, name: string, why: string) =>
  failure(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`,
    named(kind, name),
  );

export const isStale =
  'the object has been modified; please apply your changes to the latest version and try again';

export const alreadyExists = (kind: Kind, name: string, isBeingDeleted: boolean) =>
  failure(
    409,
    'AlreadyExists',
    `${isBeingDeleted ? 'object is being deleted: ' : ''}${resourceName(kind)} "${name}" already exists`,
    named(kind, name),
  );

export const forbidden = (
  kind: Pick<Kind, 'plural' | 'group'>,
  name: string,
  why: string,
  causes?: Cause[],
) =>
  failure(403, 'Forbidden', `${resourceName(kind)}${name && ` "${name}"`} is forbidden: ${why}`, {
    ...(name && { name }),
    ...ofGroup(kind),
    kind: kind.plural,
    ...(causes && { causes }),
  });

/** A list of problems with an object's fields. */
export const invalid = (kind: Kind, name: string, causes: Cause[]) => {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const group = /\.(.*)$/.exec(qualifiedKind(kind))?.[1];
  return failure(422, 'Invalid', `${qualifiedKind(kind)} "${name}" is invalid: ${text}`, {
    ...(name && { name }),
    ...(group && { group }),
    kind: kind.kind,
    causes,
  });
};

/** A problem with the options of a request. */
export const invalidOptions = (kind: string, cause: Cause) =>
  failure(422, 'Invalid', `${kind}.meta.k8s.io "" is invalid: ${cause.field}: ${cause.message}`, {
    group: 'meta.k8s.io',
    kind,
    causes: [cause],
  });

export const required = (field: string, why = ''): Cause => ({
  reason: 'FieldValueRequired',
  message: `Required value${why && `: ${why}`}`,
  field,
});
export const invalidValue = (field: string, value: string, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${value}: ${why}`,
  field,
});
export const notSupported = (field: string, value: unknown, supported: string[]): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
  field,
});
export const refused = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
});
