import DataLoader from 'dataloader';
import type { RequestBudget } from './budget.ts';

/** Holds the loaders of one request: what was loaded once is not loaded again. */
export interface LoaderScope {
  loaders: Map<object, Map<string, DataLoader<unknown, unknown>>>;
  /** Where it holds a list, reads wait in it until the answer has gone on. */
  budget?: Pick<RequestBudget, 'held'>;
}

export const createLoaders = (): LoaderScope['loaders'] => new Map();

/**
 * A read that is batched within a request: `read` gets every key asked for in one tick, and answers a map;
 * a key it leaves out resolves to `absent`. Reads with other `args` are batches of their own; `name` tells them
 * apart where the caller knows how to do that for less than it takes to write them out.
 */
export function batched<C extends LoaderScope, K extends string | number, V, A = undefined, D = null>(
  read: (context: C, keys: K[], args: A) => Promise<ReadonlyMap<K, V>>,
  absent: D,
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
        const found = await read(context, keys as K[], args as A);
        return keys.map((each) => found.get(each as K) ?? absent);
      };
      loader = new DataLoader<unknown, unknown>(load, {
        batchScheduleFn: (dispatch) =>
          afterJobs(() => {
            // A large answer is made in several turns: what it asks for in all of them is one statement.
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

const settled = Promise.resolve();

/** After what promises are about to do, as DataLoader has it. */
const afterJobs = (work: () => void) => void settled.then(() => process.nextTick(work));

/** Forgets what a request has loaded: after a write its answer must show the new state. */
export function forgetLoaded(context: LoaderScope): void {
  context.loaders.clear();
}
