import type { OperationResult } from 'urql';

/** What the server says of an object. After other errors, what was read before is still the best that is known. */
const answers = new Set<unknown>(['FORBIDDEN', 'NOT_FOUND', 'UNAUTHENTICATED']);

type Errors = NonNullable<OperationResult['error']>['graphQLErrors'];

/** The data that queries had, which stand in for what could not be read again. */
export class Kept {
  readonly #data = new Map<number, unknown>();

  /** The result, with the data before if there are none now. */
  withWhole(result: OperationResult): OperationResult {
    const { operation, data, error } = result;
    if (operation.kind !== 'query') return result;
    const isFailed = !data && error && !error.graphQLErrors.some(isAnswer);
    if (!isFailed) this.#keep(operation.key, data);
    return isFailed ? { ...result, data: this.#data.get(operation.key) } : result;
  }

  /** The result, with the parts before in place of those that could not be read. */
  withParts(result: OperationResult): OperationResult {
    const { operation, data, error } = result;
    if (!data) return result;
    const whole = restored(data, this.#data.get(operation.key), error?.graphQLErrors ?? []);
    this.#keep(operation.key, whole);
    return { ...result, data: whole };
  }

  #keep(key: number, data: unknown): void {
    if (data) this.#data.set(key, data);
    else this.#data.delete(key);
  }

  drop(key: number): void {
    this.#data.delete(key);
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
