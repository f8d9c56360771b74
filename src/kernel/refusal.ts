import type { ErrorCode } from './error-codes.ts';
import {
  ApiError,
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  LimitExceededError,
  NotFoundError,
  QuotaExceededError,
  RegistryRefusedError,
  StoreRefusedError,
} from './errors.ts';

/** The classes of the errors that a request causes itself, by their codes. */
const classes: Partial<Record<ErrorCode, { prototype: ApiError }>> = {
  INVALID_INPUT: InvalidInputError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  CONFLICT: ConflictError,
  QUOTA_EXCEEDED: QuotaExceededError,
  LIMIT_EXCEEDED: LimitExceededError,
  STORE_REFUSED: StoreRefusedError,
  REGISTRY_REFUSED: RegistryRefusedError,
};

const key = '\u0000refusal';

/** An error as a plain object. */
export const storedRefusal = (error: ApiError): object => ({ [key]: { ...error, message: error.message } });

/** The error of a plain object. Undefined if the object is not one. */
export function readRefusal(value: unknown): ApiError | undefined {
  if (typeof value !== 'object' || value === null || !(key in value)) return undefined;
  const fields = value[key] as ApiError;
  const { prototype } = classes[fields.code] ?? ApiError;
  return Object.assign(Object.create(prototype) as ApiError, fields);
}
