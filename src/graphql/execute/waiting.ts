import type { Data, Execution, Path, ResponseSlot } from './execution.ts';
import type { FieldPlan, Shape } from './field-plan.ts';
import { isPromise } from './leaf.ts';

/** The position of a value in the response. */
export interface Spot {
  execution: Execution;
  field: FieldPlan;
  path: Path;
  slot: ResponseSlot;
}

/** A position whose value is awaited, and how it is completed. Without closures, because an execution can have a hundred thousand. */
interface Waiter {
  spot: Spot;
  shape: Shape;
  next(spot: Spot, shape: Shape, value: unknown): unknown;
  /** Those that came to wait for the same promise later. */
  others: Waiter[] | undefined;
}

/**
 * Completes the value when the promise settles. Until then, the slot holds null, and it can be discarded meanwhile. All that
 * wait for the same promise listen to it once.
 */
export function whenKnown(waiter: Waiter, promise: PromiseLike<unknown>): null {
  const { execution } = waiter.spot;
  execution.begin();
  const first = execution.waiting.get(promise) as Waiter | undefined;
  if (first) {
    first.others ??= [];
    first.others.push(waiter);
    return null;
  }
  execution.waiting.set(promise, waiter);
  promise.then(
    (value) => settle(waiter, promise, arrive, value),
    (error) => settle(waiter, promise, reject, error),
  );
  return null;
}

type Settle = (waiter: Waiter, result: unknown) => void;

function settle(first: Waiter, promise: PromiseLike<unknown>, how: Settle, result: unknown): void {
  const { execution } = first.spot;
  execution.waiting.delete(promise);
  if (first.others) settleFrom(0, [first, ...first.others], how, result);
  else if (execution.isPaused) execution.later(() => how(first, result));
  else how(first, result);
}

/** Settles what waits until the time slice ends, and the rest after other requests have run. */
function settleFrom(from: number, waiters: readonly Waiter[], how: Settle, result: unknown): void {
  for (let index = from; index < waiters.length; index++) {
    const waiter = waiters[index]!;
    const { execution } = waiter.spot;
    if (execution.isPaused) {
      execution.later(() => settleFrom(index, waiters, how, result));
      return;
    }
    how(waiter, result);
  }
}

function arrive({ spot, shape, next }: Waiter, value: unknown): void {
  const { execution, slot } = spot;
  try {
    if (!execution.failure && !slot.isGone) (slot.holder as Data)[slot.key] = next(spot, shape, value);
    if (!execution.failure) execution.addResolved();
  } catch (error) {
    failLater(spot, error);
  } finally {
    execution.done();
  }
}

function reject({ spot }: Waiter, error: unknown): void {
  failLater(spot, error);
  spot.execution.done();
}

/** An error after the parent was added to the response makes the nearest nullable slot null. */
export function failLater({ execution, field, path, slot }: Spot, error: unknown): void {
  if (execution.failure || slot.isGone) return;
  execution.failed(field, error, path, true);
  slot.drop();
  try {
    execution.addResolved();
  } catch {
    // The budget has the failure, which ends the execution.
  }
}

/** Goes on with a value, or with the value of a promise when it resolves. */
export const soon = (spot: Spot, value: unknown, go: (value: unknown) => unknown): unknown =>
  isPromise(value)
    ? whenKnown(
        { spot, shape: spot.field.shape, next: (_, __, known) => go(known), others: undefined },
        value,
      )
    : go(value);
