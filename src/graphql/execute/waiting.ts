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
}

/**
 * Completes the value when the promise settles. Until then, the slot holds null, and it can be discarded meanwhile. All that
 * wait for the same promise listen to it once.
 */
export function whenKnown(waiter: Waiter, promise: PromiseLike<unknown>): null {
  const { execution } = waiter.spot;
  execution.begin();
  const waiters = execution.waiting.get(promise) as Waiter[] | undefined;
  if (waiters) {
    waiters.push(waiter);
    return null;
  }
  const all = [waiter];
  execution.waiting.set(promise, all);
  const settled = (settle: (each: Waiter) => void) => {
    execution.waiting.delete(promise);
    settleFrom(0, all, settle);
  };
  promise.then(
    (value) => settled((each) => arrive(each, value)),
    (error) => settled((each) => reject(each, error)),
  );
  return null;
}

/** Settles what waits until the time slice ends, and the rest after other requests have run. */
function settleFrom(first: number, waiters: readonly Waiter[], settle: (waiter: Waiter) => void): void {
  for (let index = first; index < waiters.length; index++) {
    const waiter = waiters[index]!;
    const { execution } = waiter.spot;
    if (execution.isPaused) {
      execution.later(() => settleFrom(index, waiters, settle));
      return;
    }
    settle(waiter);
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
    ? whenKnown({ spot, shape: spot.field.shape, next: (_, __, known) => go(known) }, value)
    : go(value);
