const last = new WeakMap<object, Promise<unknown>>();

/** Runs work once the earlier work for the same object has ended, whether it failed or not. */
export function inTurn<T>(of: object, work: () => Promise<T>): Promise<T> {
  const result = (last.get(of) ?? Promise.resolve()).then(work, work);
  last.set(of, result);
  return result;
}
