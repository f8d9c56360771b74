import DataLoader from 'dataloader';
import type { RequestBudget } from './budget.ts';
import { NotFoundError } from './errors.ts';
import type { Telemetry } from './telemetry.ts';

/** Holds the data loaders of one request, so that each row is loaded once. */
export interface LoaderScope {
  loaders: Map<object, Map<string, DataLoader<unknown, unknown>>>;
  /** If set, reads are queued here until the executor has finished its current slice. */
  budget?: Pick<RequestBudget, 'held'>;
  telemetry?: Telemetry | undefined;
}

export const createLoaders = (): LoaderScope['loaders'] => new Map();

/**
 * A read that is batched within a request: `read` gets all keys requested in one tick and returns a map;
 * a key without an entry resolves to `absent`. Reads with different `args` are batched separately; `name` identifies
 * the arguments where the caller has a cheaper key than their JSON. `label` names the read in traces.
 */
export function batched<C extends LoaderScope, K extends string | number, V, A = undefined, D = null>(
  read: (context: C, keys: K[], args: A) => Promise<ReadonlyMap<K, V>>,
  absent: D,
  label = 'read',
): (context: C, key: K, args?: A, name?: string) => Promise<V | D> {
  return (context, key, args, name = args === undefined ? '' : JSON.stringify(args)) => {
    let byArgs = context.loaders.get(read);
    if (!byArgs) {
      byArgs = new Map();
      context.loaders.set(read, byArgs);
    }
    let loader = byArgs.get(name);
    if (!loader) {
      const load = async (keys: readonly unknown[]) => {
        const { telemetry } = context;
        const found = await (telemetry
          ? telemetry.measure('batch', label, () => read(context, keys as K[], args as A), keys.length)
          : read(context, keys as K[], args as A));
        return keys.map((each) => found.get(each as K) ?? absent);
      };
      loader = new DataLoader<unknown, unknown>(load, {
        batchScheduleFn: (dispatch) =>
          afterJobs(() => {
            // A large response is built in several slices; the reads of all of them share one statement.
            const held = context.budget?.held;
            if (held) held.push(dispatch);
            else dispatch();
          }),
      });
      byArgs.set(name, loader);
    }
    return loader.load(key) as Promise<V | D>;
  };
}

/**
 * The same read of a row that there must be, such as the one that a foreign key points to. NOT_FOUND if it was deleted
 * since the request read the key.
 */
export const existing =
  <C, K, V>(noun: string, read: (context: C, key: K) => Promise<V | null>) =>
  async (context: C, key: K): Promise<V> => {
    const row = await read(context, key);
    if (row === null) throw new NotFoundError(noun);
    return row;
  };

const settled = Promise.resolve();

/** Runs after pending promise callbacks, like DataLoader's default scheduler. */
const afterJobs = (work: () => void) => void settled.then(() => process.nextTick(work));

/** Clears the loaders of a request, so that reads after a write return the new state. */
export function forgetLoaded(context: LoaderScope): void {
  context.loaders.clear();
}
