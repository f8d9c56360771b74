import { type ErrorCode, errorStatus } from './error-codes.ts';

/** A problem with one field of an input. */
export interface Issue {
  path: (string | number)[];
  message: string;
  /** Where the field is in a text, counted from 1. */
  line?: number;
  column?: number;
}

/** A limit that a request can reach, named as the setting that raises it. */
export type LimitName =
  | `LIMIT_${'TOKENS' | 'BRACKETS' | 'DEPTH' | 'FIELDS' | 'OBJECTS' | 'KEYS' | 'VALUES' | 'TEXT_KIB'}`
  | `LIMIT_${'EXPANDED_KIB' | 'EXPANDED_VALUES' | 'THREAD_MS' | 'PLAN_OBJECTS' | 'CHANGE_OBJECTS'}`
  | 'ANSWERS_MEMORY_MIB'
  | 'BODY_LIMIT_KIB'
  | 'DATABASE_LOCK_TIMEOUT_MS'
  | 'DATABASE_POOL'
  | 'FAILED_AUTHENTICATIONS_PER_MINUTE'
  | 'IDEMPOTENCY_KEYS_PER_USER'
  | 'IDEMPOTENCY_MIB_PER_USER'
  | 'MAX_CONNECTIONS'
  | 'MAX_REQUESTS'
  | 'MAX_REQUESTS_PER_ADDRESS'
  | 'MAX_REQUESTS_PER_USER'
  | 'MAX_SUBSCRIPTIONS'
  | 'MAX_SUBSCRIPTIONS_PER_TOKEN'
  | 'RATE_LIMIT_PER_SECOND'
  | 'REQUEST_TIMEOUT_MS'
  | 'SEND_TIMEOUT_MS';

/** The most issues in one error, because a large body could have as many as bytes. */
const maxIssues = 100;

/**
 * The most steps of a path, and the most UTF-16 units of a step, of the message of an issue and of that of an error, which can
 * list what is wrong with a template. Callers choose names.
 */
const longest = { path: 50, step: 200, message: 1_000, error: 4_000 };

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text);

/** A message without the rest of a name that is too long. */
export const cutMessage = (message: string): string => cut(message, longest.message);

/** A path without the rest of its steps that are too long, or beyond the first. */
const cutPath = (path: (string | number)[]): (string | number)[] =>
  path.slice(0, longest.path).map((step) => (typeof step === 'string' ? cut(step, longest.step) : step));

/** An error that is reported to the caller with its code. Any other error is masked as INTERNAL. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** The limit that was reached, if that is the reason. */
  readonly limit: LimitName | undefined;

  constructor(code: ErrorCode, message: string, limit?: LimitName) {
    super(cut(message, longest.error));
    this.code = code;
    this.limit = limit;
    this.name = new.target.name;
  }

  get status(): number {
    return errorStatus[this.code];
  }
}

/** The input is invalid. Lists all issues, each with its path. */
export class InvalidInputError extends ApiError {
  readonly issues: Issue[];

  constructor(issues: Issue[]) {
    const shown = issues
      .slice(0, maxIssues)
      .map((issue): Issue => ({ ...issue, path: cutPath(issue.path), message: cutMessage(issue.message) }));
    if (issues.length > shown.length) {
      shown.push({ path: [], message: `And ${issues.length - shown.length} more` });
    }
    const textOf = ({ path, message, line, column }: Issue) => {
      const where = line === undefined ? '' : ` (line ${line}, column ${column})`;
      return `${path.length ? `${path.join('.')}: ` : ''}${message}${where}`;
    };
    const text = shown.map(textOf).join('; ');
    super('INVALID_INPUT', text);
    // All of them, each of which has been cut.
    this.message = text;
    this.issues = shown;
  }
}

/** The token is missing, unknown, expired or revoked. The reason is not revealed. */
export class UnauthenticatedError extends ApiError {
  constructor() {
    super('UNAUTHENTICATED', 'A valid access token is required.');
  }
}

/** The path does not support this method; `allow` lists the methods that it supports. */
export class MethodNotAllowedError extends ApiError {
  readonly allow: string;

  constructor(allow: string) {
    super('METHOD_NOT_ALLOWED', `This path only supports ${allow}.`);
    this.allow = allow;
  }
}

/** The response is not available in a media type that the caller accepts. Nothing was executed. */
export class NotAcceptableError extends ApiError {
  constructor(...offered: string[]) {
    super('NOT_ACCEPTABLE', `The Accept header must allow ${offered.join(' or ')}.`);
  }
}

/** The caller can view the object but not change it. */
export class ForbiddenError extends ApiError {
  constructor(message: string) {
    super('FORBIDDEN', message);
  }
}

/** A sign-in is refused. The message tells the person how to continue. */
export class SignInRefusedError extends ApiError {
  /** Why, for the record and the log. Never has anything secret. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super('FORBIDDEN', message);
    this.reason = reason;
  }
}

/** A request of the identity provider to end sessions is refused. */
export class LogoutRefusedError extends ApiError {
  /** Why, for the log. Never has anything secret. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super('INVALID_INPUT', message);
    this.reason = reason;
  }
}

/** The object does not exist or is not visible to the caller. Both have the same message. */
export class NotFoundError extends ApiError {
  constructor(noun: string) {
    super('NOT_FOUND', `There is no such ${noun}.`);
  }
}

/** A unique name is already taken, or the state of the object does not allow the change. */
export class ConflictError extends ApiError {
  /** The domain that is taken, if that is the reason, so that its place in an input can be named. */
  readonly domain: string | undefined;

  constructor(message: string, domain?: string) {
    super('CONFLICT', message);
    this.domain = domain;
  }
}

/** The change would exceed the quota of the team in the region. */
export class QuotaExceededError extends ApiError {
  readonly resource: 'cpuMillicores' | 'memoryMiB';
  /** The unused part of the quota, in the unit of `resource`. */
  readonly available: number;
  /** The additional amount that the change needs, in the unit of `resource`. */
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

/** The request exceeds a limit. */
export class LimitExceededError extends ApiError {
  constructor(message: string, limit: LimitName) {
    super('LIMIT_EXCEEDED', message, limit);
  }
}

/** The caller sent too many requests. The response has a `Retry-After` header. */
export class RateLimitedError extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number, limit?: LimitName) {
    super('RATE_LIMITED', message, limit);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The database or the server cannot handle the request at the moment. The response has a `Retry-After` header. */
export class UnavailableError extends ApiError {
  readonly retryAfterSeconds: number;

  constructor(
    message: string,
    {
      retryAfterSeconds = 1,
      cause,
      limit,
    }: { retryAfterSeconds?: number; cause?: unknown; limit?: LimitName } = {},
  ) {
    super('UNAVAILABLE', message, limit);
    this.retryAfterSeconds = retryAfterSeconds;
    this.cause = cause;
  }
}

/** A request to exchange a token is refused. */
export class TokenExchangeError extends ApiError {
  /** The code for clients of OAuth. @see https://www.rfc-editor.org/rfc/rfc8693#section-2.2.2 */
  readonly oauthCode: 'invalid_request' | 'invalid_scope' | 'invalid_target' | 'unsupported_grant_type';
  /** Why the token is refused, for the record and the log. Never has anything secret. Undefined if the request is invalid. */
  readonly reason: string | undefined;

  constructor(oauthCode: TokenExchangeError['oauthCode'], message: string, reason?: string) {
    super('INVALID_INPUT', message);
    this.oauthCode = oauthCode;
    this.reason = reason;
  }
}

/** The app store rejected the request with 401, 403 or another 4xx. */
export class StoreRefusedError extends ApiError {
  /** The HTTP status code of the store's response. */
  readonly answered: number;

  constructor(answered: number) {
    super('STORE_REFUSED', `The app store responded with status ${answered}.`);
    this.answered = answered;
  }
}

/** The registry of an image rejected the request with 401, 403 or another 4xx. */
export class RegistryRefusedError extends ApiError {
  constructor(answered: number) {
    const remedy = answered === 401 || answered === 403 ? ' Check the registry credential of its host.' : '';
    super('REGISTRY_REFUSED', `The registry responded with status ${answered}.${remedy}`);
  }
}

/** A server elsewhere did not respond in time (504), or closed the connection or sent something invalid (502). */
abstract class BadGatewayError extends ApiError {
  readonly isLate: boolean;

  constructor(code: ErrorCode, message: string, { isLate = false } = {}) {
    super(code, message);
    this.isLate = isLate;
  }

  override get status(): number {
    return this.isLate ? 504 : super.status;
  }
}

/** The app store did not respond, or sent an invalid template. */
export class StoreUnavailableError extends BadGatewayError {
  constructor(message: string, options?: { isLate?: boolean }) {
    super('STORE_UNAVAILABLE', message, options);
  }
}

/** The registry of an image did not respond, or sent something invalid. */
export class RegistryUnavailableError extends BadGatewayError {
  constructor(message: string, options?: { isLate?: boolean }) {
    super('REGISTRY_UNAVAILABLE', message, options);
  }
}
