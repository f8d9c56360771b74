import type { Trellis } from './trellis.ts';

/** Lets a statement of each transaction fail, by its number from 1. Returns what ends it, which says how many there were. */
export function failStatement({ services: { db } }: Trellis, statement: number): () => number {
  const { transaction } = db;
  let count = 0;
  const counted = (target: any): any =>
    new Proxy(target, {
      get(object, key) {
        const value = object[key];
        if (typeof value === 'object' && value !== null) return counted(value);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (++count === statement) throw new Error('The process ends here.');
          return value.apply(object, args);
        };
      },
    });
  db.transaction = (work, signal) => transaction((tx) => work(counted(tx)), signal);
  return () => {
    db.transaction = transaction;
    return count;
  };
}
