/** Every error code of both surfaces, with its HTTP status. Each surface maps these once. */
export const errorStatus = {
  INVALID_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  QUOTA_EXCEEDED: 409,
  LIMIT_EXCEEDED: 400,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  STORE_REFUSED: 502,
  STORE_UNAVAILABLE: 502,
  REGION_UNAVAILABLE: 503,
  INTERNAL: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

/** What each code says. */
export const errorMeaning: Record<ErrorCode, string> = {
  INVALID_INPUT: 'The input is invalid; `issues` lists every problem.',
  UNAUTHENTICATED: 'The access token is missing, unknown, expired or revoked.',
  FORBIDDEN: 'The caller may view the object but not change it.',
  NOT_FOUND: 'The object does not exist or is not visible to the caller.',
  METHOD_NOT_ALLOWED: 'The path does not support this method.',
  NOT_ACCEPTABLE: 'The response is not available in a media type that the `Accept` header allows.',
  CONFLICT: 'A unique name is already taken, or the state of the object does not allow the change.',
  QUOTA_EXCEEDED: 'The change would exceed the quota of the team in the region.',
  LIMIT_EXCEEDED: 'The request exceeds a limit, which the message names.',
  PAYLOAD_TOO_LARGE: 'The request body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The request body is not JSON.',
  RATE_LIMITED: 'Too many requests. Retry after the time in the `Retry-After` header.',
  UNAVAILABLE:
    'The database or the server cannot handle the request at the moment. Retry after the time in the `Retry-After` header.',
  STORE_REFUSED: 'The app store rejected the request.',
  STORE_UNAVAILABLE: 'The app store did not respond, or sent an invalid response.',
  REGION_UNAVAILABLE: 'A cluster did not respond.',
  INTERNAL: 'An unexpected error occurred. The server log has details for the request id.',
};

/** One thing wrong with an input: where it is, and what is wrong with it. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

/** A failure that the caller is told of, by its code. Anything else that is thrown is masked as INTERNAL. */
export class ApiError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
    this.name = new.target.name;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** What is wrong is told up to this many: a large body could have as many faults as bytes. */
const maxIssues = 100;

/** Fields are wrong: all of them at once, each with its path. */
export class InvalidInputError extends ApiError {
  readonly issues: Issue[];

  constructor(issues: Issue[]) {
    const shown = issues.slice(0, maxIssues);
    if (issues.length > shown.length) {
      shown.push({ path: [], message: `And ${issues.length - shown.length} more` });
    }
    const text = ({ path, message }: Issue) => (path.length ? `${path.join('.')}: ${message}` : message);
    super('INVALID_INPUT', shown.map(text).join('; '));
    this.issues = shown;
  }
}

/** No token, or one that is unknown, expired or revoked: the reason is not told apart. */
export class UnauthenticatedError extends ApiError {
  constructor() {
    super('UNAUTHENTICATED', 'A valid access token is required.');
  }
}

/** The path does not take this method; `allow` lists those that it takes. */
export class MethodNotAllowedError extends ApiError {
  readonly allow: string;

  constructor(allow: string) {
    super('METHOD_NOT_ALLOWED', `This path only supports ${allow}.`);
    this.allow = allow;
  }
}

/** The server has no answer in a media type that the caller accepts; nothing was executed. */
export class NotAcceptableError extends ApiError {
  constructor(...offered: string[]) {
    super('NOT_ACCEPTABLE', `The Accept header must allow ${offered.join(' or ')}.`);
  }
}

/** The caller sees the object but may not do this to it. */
export class ForbiddenError extends ApiError {
  constructor(message: string) {
    super('FORBIDDEN', message);
  }
}

/** There is no such object, or the caller may not see it: the words are the same. */
export class NotFoundError extends ApiError {
  constructor(noun: string) {
    super('NOT_FOUND', `There is no such ${noun}.`);
  }
}

/** A unique name is taken, or the state does not allow it; the message says by what. */
export class ConflictError extends ApiError {
  constructor(message: string) {
    super('CONFLICT', message);
  }
}

/** The change would take the team past its quota in the region: which one, how much is left and how much was asked. */
export class QuotaExceededError extends ApiError {
  readonly resource: 'cpuMillicores' | 'memoryMiB';
  /** How much of the quota is left, in the unit of `resource`. */
  readonly available: number;
  /** How much more the change needs, in the unit of `resource`. */
  readonly requested: number;

  constructor(
    message: string,
    usage: { resource: 'cpuMillicores' | 'memoryMiB'; available: number; requested: number },
  ) {
    super('QUOTA_EXCEEDED', message);
    this.resource = usage.resource;
    this.available = usage.available;
    this.requested = usage.requested;
  }
}

/** One request asks for more than a limit allows. */
export class LimitExceededError extends ApiError {
  constructor(message: string) {
    super('LIMIT_EXCEEDED', message);
  }
}

/** The caller sent too many requests; `Retry-After` tells it when to try again. */
export class RateLimitedError extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super('RATE_LIMITED', message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The database or the server cannot take the request now; `Retry-After` tells the caller when to try again. */
export class UnavailableError extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(
    message: string,
    { retryAfterSeconds = 1, cause }: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super('UNAVAILABLE', message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.cause = cause;
  }
}

/** The app store answered, and said no: 401, 403 or another 4xx. */
export class StoreRefusedError extends ApiError {
  /** The HTTP status that the store gave. */
  readonly answered: number;

  constructor(answered: number) {
    super('STORE_REFUSED', `The app store responded with status ${answered}.`);
    this.answered = answered;
  }
}

/** The app store did not answer in time (504), or broke off or sent what is no template (502). */
export class StoreUnavailableError extends ApiError {
  readonly isLate: boolean;

  constructor(message: string, { isLate = false } = {}) {
    super('STORE_UNAVAILABLE', message);
    this.isLate = isLate;
  }

  override get status(): number {
    return this.isLate ? 504 : super.status;
  }
}
