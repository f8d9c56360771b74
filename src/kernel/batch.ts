import DataLoader from 'dataloader';
import type { RequestBudget } from './budget.ts';
import { NotFoundError } from './errors.ts';
import { memoizeByIdentity } from './memo.ts';
import type { Telemetry } from './telemetry.ts';

/** Holds the data loaders of one request, so that each row is loaded once. */
export interface LoaderScope {
  loaders: Map<object, Map<string, Loader>>;
  /** If set, reads are queued here until the executor has finished its current slice. */
  budget?: Pick<RequestBudget, 'held'>;
  telemetry?: Telemetry | undefined;
}

/** A loader with its cache, in which others can look without loading. */
interface Loader {
  loader: DataLoader<unknown, unknown>;
  cache: Map<unknown, Promise<unknown>>;
  /** The promises of the cached keys that are loaded again in the current batch. The loader makes one for each time. */
  again: Map<unknown, Promise<unknown>>;
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
): Batched<C, K, V, A, D> {
  const loaderOf = (context: C, args: A, name: string) => {
    let byArgs = context.loaders.get(read);
    if (!byArgs) {
      byArgs = new Map();
      context.loaders.set(read, byArgs);
    }
    let made = byArgs.get(name);
    if (!made) {
      const cache = new Map<unknown, Promise<unknown>>();
      const load = async (keys: readonly unknown[]) => {
        const { telemetry } = context;
        const found = await (telemetry
          ? telemetry.measure('batch', label, () => read(context, keys as K[], args as A), {
              keys: keys.length,
            })
          : read(context, keys as K[], args as A));
        return keys.map((each) => found.get(each as K) ?? absent);
      };
      const again: Loader['again'] = new Map();
      const loader = new DataLoader<unknown, unknown>(load, {
        cacheMap: cache,
        batchScheduleFn: (dispatch) => {
          const send = () => {
            again.clear();
            dispatch();
          };
          afterJobs(() => {
            // A large response is built in several slices; the reads of all of them share one statement.
            const held = context.budget?.held;
            if (held) held.push(send);
            else send();
          });
        },
      });
      made = { loader, cache, again };
      byArgs.set(name, made);
    }
    return made;
  };
  const load = (context: C, key: K, args?: A, name = args === undefined ? '' : JSON.stringify(args)) => {
    const { loader, cache, again } = loaderOf(context, args as A, name);
    let promise = again.get(key);
    if (!promise) {
      const isAgain = cache.has(key);
      promise = loader.load(key);
      if (isAgain) again.set(key, promise);
    }
    return promise as Promise<V | D>;
  };
  return Object.assign(load, {
    prime: (context: C, key: K, value: V) =>
      void loaderOf(context, undefined as A, '').loader.prime(key, value),
    loaded: (context: C, key: K) =>
      context.loaders.get(read)?.get('')?.cache.get(key) as Promise<V | D> | undefined,
  });
}

export interface Batched<C, K, V, A = undefined, D = null> {
  (context: C, key: K, args?: A, name?: string): Promise<V | D>;
  /** Adds a value that another read has found, unless the key was loaded before. For reads without `args`. */
  prime(context: C, key: K, value: V): void;
  /** The value if it was loaded or added before. For reads without `args`. */
  loaded(context: C, key: K): Promise<V | D> | undefined;
}

/** Begins a read whose result is loaded again later, where its failure is reported. */
export const readAhead = (read: Promise<unknown>): void => void read.catch(() => {});

/**
 * A read of a row that must exist, such as the one that a foreign key points to. NOT_FOUND if it was deleted
 * since the request read the key.
 */
export function existing<C, K, V, A>(
  noun: string,
  read: (context: C, key: K, args?: A) => Promise<V | null>,
): (context: C, key: K, args?: A) => Promise<V> {
  // A batched read returns the same promise for the same key, and a document can select it thousands of times.
  const required = memoizeByIdentity((row: Promise<V | null>) =>
    row.then((found) => {
      if (found === null) throw new NotFoundError(noun);
      return found;
    }),
  );
  return (context, key, args) => required(read(context, key, args));
}

/** Returns the result of a read for each of the keys. Equal keys are read once. */
export async function foundFor<C, K, V>(
  context: C,
  keys: readonly K[],
  read: (context: C, key: K) => V | Promise<V>,
): Promise<V[]> {
  const distinct = [...new Set(keys)];
  const found = await Promise.all(distinct.map((key) => read(context, key)));
  const of = new Map(distinct.map((key, index) => [key, found[index]!]));
  return keys.map((key) => of.get(key)!);
}

const settled = Promise.resolve();

/** Runs after pending promise callbacks, like DataLoader's default scheduler. */
const afterJobs = (work: () => void) => void settled.then(() => process.nextTick(work));

/** Clears the loaders of a request, so that reads after a write return the new state. */
export function forgetLoaded(context: LoaderScope): void {
  context.loaders.clear();
}
