import type { ObjectLocation } from '../kernel/access.ts';
import type { ErrorCode } from '../kernel/error-codes.ts';
import { type ApiError, ConflictError } from '../kernel/errors.ts';
import { readRefusal, storedRefusal } from '../kernel/refusal.ts';
import type { Seal } from '../kernel/seal.ts';
import { readStoredValue, storedValue } from '../kernel/stored-value.ts';

/** Failures that may not happen again when the request is repeated: these are not stored. */
const passing = new Set<ErrorCode>([
  'UNAUTHENTICATED',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'REGISTRY_UNAVAILABLE',
  'REGION_UNAVAILABLE',
  'INTERNAL',
]);

export const isPassing = (code: ErrorCode): boolean => passing.has(code);

/** Refusals for what the request is, before anything was looked at that others change. */
const early = new Set<ErrorCode>(['INVALID_INPUT', 'FORBIDDEN', 'LIMIT_EXCEEDED']);

/** The result of an operation, and the location of its object. */
export interface Outcome {
  result: unknown;
  place: ObjectLocation | null;
}

/** The name of a field that no result has. */
const placeField = '\u0000place';

/** The stored form of what an operation returned. */
export const storedOutcome = (seal: Seal, { result, place }: Outcome): string =>
  storedValue(seal, { [placeField]: place, result: result ?? null });

/** The outcomes of the operations of a request, by the paths of their fields. */
export class Outcomes {
  /** The stored form of the outcomes. */
  stored: ReadonlyMap<string, string> = new Map();
  /** Whether a failure may not happen again. */
  hasPassingFailure = false;
  /** Whether an operation was run, and not only found among those that are stored. */
  hasRun = false;
  readonly #seal: Seal;
  readonly #refusals = new Map<string, ApiError>();
  #hasSucceeded = false;

  constructor(seal: Seal) {
    this.#seal = seal;
  }

  /** The stored result of an operation. Throws its refusal, if that is what is stored. */
  find(path: string): Outcome | undefined {
    const text = this.stored.get(path);
    if (text === undefined) return undefined;
    const stored = readStoredValue(this.#seal, text);
    const refusal = readRefusal(stored);
    if (refusal) throw refusal;
    const { result, [placeField]: place } = stored as {
      result: unknown;
      [placeField]: ObjectLocation | null;
    };
    return { result, place };
  }

  succeeded(): void {
    this.#hasSucceeded = true;
  }

  refused(path: string, error: ApiError): void {
    this.#refusals.set(path, error);
  }

  /** Whether the request was refused before it did anything. */
  get isRefusedEarly(): boolean {
    if (this.stored.size > 0 || this.#hasSucceeded) return false;
    return [...this.#refusals.values()].every(({ code }) => early.has(code));
  }

  /** The refusals, as they are stored. */
  get refusals(): Map<string, string> {
    return new Map(
      [...this.#refusals].map(([path, error]) => [path, storedValue(this.#seal, storedRefusal(error))]),
    );
  }
}

/** The request would change something, although its first answer says that it did not. */
export const changedMeanwhile = () =>
  new ConflictError(
    'The response to the first request with this Idempotency-Key was too large to be stored, and the request would now make another change. Use a new key.',
  );
