import { isDifferent } from './record.ts';

// `revision` counts the changes of an object. Every update of a model that has the column uses one of these, or
// `reviseMany` of bulk.ts, except for updates that do not change the object: test/unit/architecture-writers.once.test.ts
// lists them.

/** Counts a change. The database adds to the current value, whoever else changes the row. */
export const changed = { revision: { increment: 1 } } as const;

/** The columns to set, which count as a change if one of them has another value than before. */
export const revised = <D extends object>(before: object, data: D): D & Partial<typeof changed> =>
  isDifferent(before, data) ? { ...data, ...changed } : data;
