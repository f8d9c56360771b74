import type { OperationResult } from 'urql';

/** Error codes that are an answer about an object. After other errors, the last values are still valid. */
const answers = new Set<unknown>(['FORBIDDEN', 'NOT_FOUND', 'UNAUTHENTICATED']);

type Errors = NonNullable<OperationResult['error']>['graphQLErrors'];

interface Last {
  /** As the server has sent it. */
  sent: unknown;
  /** As it is shown, with what the cache knows. */
  shown?: unknown;
  error: OperationResult['error'];
}

/** The last results of queries, which stand in for parts that could not be read again. */
export class Kept {
  readonly #last = new Map<number, Last>();

  /** A response of the server, with the parts before in place of those that could not be read. */
  received(result: OperationResult): OperationResult {
    const { operation, data, error } = result;
    const last = this.#last.get(operation.key);
    const sent = data && restored(data, last?.sent, error?.graphQLErrors ?? []);
    this.#last.set(operation.key, { ...last, sent: sent ?? last?.sent, error });
    return data ? { ...result, data: sent } : result;
  }

  /** A result, with the data before if there are none now. The cache does not know that they could not be read. */
  shown(result: OperationResult): OperationResult {
    const last = this.#last.get(result.operation.key);
    if (!last) return result;
    const { data, error = last.error } = result;
    const isFailed = !data && error && !error.graphQLErrors.some(isAnswer);
    if (!isFailed) last.shown = data;
    return { ...result, data: last.shown, error };
  }

  drop(key: number): void {
    this.#last.delete(key);
  }
}

const isAnswer = ({ extensions }: Errors[number]) => answers.has(extensions.code);

const restored = (data: unknown, before: unknown, errors: Errors) =>
  errors
    .filter((error) => !isAnswer(error))
    .reduce((now, { path = [] }) => restoredAt(now, before, path), data);

type Json = Record<string, unknown>;

/** An error of a field makes null of it, or of an object that it is in. */
function restoredAt(now: unknown, before: unknown, path: readonly (string | number)[]): unknown {
  if (now === null) return before ?? null;
  const [step, ...rest] = path;
  if (step === undefined || !isObject(now) || !isObject(before) || now.id !== before.id) return now;
  const value = restoredAt(now[step], counterpart(now, before, step), rest);
  if (value === now[step]) return now;
  if (!Array.isArray(now)) return { ...now, [step]: value };
  return now.map((item, index) => (index === step ? value : item));
}

/** Objects in a list are compared by their ids, because their places change. */
function counterpart(now: Json, before: Json, step: string | number): unknown {
  const item = now[step];
  if (!Array.isArray(before) || !isObject(item) || item.id === undefined) return before[step];
  return before.find((each) => isObject(each) && each.id === item.id);
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
