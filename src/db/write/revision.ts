import { ConflictError } from '../../kernel/errors.ts';
import { type Bulk, findByKeys } from './bulk.ts';
import { nounOf } from './noun.ts';
import { isDifferent } from './record.ts';

// `revision` counts the changes of an object. Every update of a model that has the column uses one of these, or
// `reviseMany` of bulk.ts, except for updates that do not change the object: test/unit/architecture-writers.once.test.ts
// lists them.

/** Counts a change. The database adds to the current value, whoever else changes the row. */
export const changed = { revision: { increment: 1 } } as const;

/** The columns to set, which count as a change if one of them has another value than before. */
export const revised = <D extends object>(before: object, data: D): D & Partial<typeof changed> =>
  isDifferent(before, data) ? { ...data, ...changed } : data;

type Nullable<B> = { [C in keyof B]: null extends B[C] ? C : never }[keyof B];

/** The columns of an object after a change. Those that the input leaves out stay; null removes the value of `clearable` ones. */
export function patched<B extends object, C extends keyof B = never, N extends Nullable<B> = never>(
  before: B,
  input: { readonly [column in NoInfer<C | N>]?: B[column] | null | undefined },
  columns: readonly C[],
  clearable: readonly N[] = [],
): Pick<B, NoInfer<C | N>> {
  const after: Partial<Pick<B, C | N>> = {};
  for (const column of columns) after[column] = input[column] ?? before[column];
  for (const column of clearable) {
    const value = input[column];
    after[column] = value === undefined ? before[column] : (value as B[N]);
  }
  return after as Pick<B, C | N>;
}

/** The revision that a caller expects of the object that it changes, or those that it allows for the id of the object. */
type ExpectedRevision = number | ((id: string | number) => readonly number[]) | null | undefined;

export interface Expecting {
  expectedRevision?: ExpectedRevision;
}

/** CONFLICT if an object has another revision than the caller expects. It must be locked when it is read. */
export function requireRevision(
  { id = '', revision }: { id?: string | number; revision: number },
  { expectedRevision: expected }: Expecting,
  object: string,
): void {
  if (expected == null) return;
  const wanted = typeof expected === 'function' ? expected(id) : [expected];
  if (wanted.includes(revision)) return;
  throw new ConflictError(
    `The ${object} has changed: its revision is ${revision}, but ${wanted.join(' or ') || 'another object'} was expected. Read it again, and repeat the change if it still applies.`,
  );
}

/** Compares the expected revision of an object that the change does not lock otherwise. Without one, nothing is read. */
export async function requireRevisionOf(
  write: Bulk,
  model: 'Application' | 'Certificate' | 'ComponentGroup',
  id: number,
  expecting: Expecting,
): Promise<void> {
  if (expecting.expectedRevision == null) return;
  const fields = ['revision'] as const;
  const [row] = await findByKeys(write, model, 'id', [id], ['id'], { fields, lock: true });
  if (row) requireRevision({ ...row, id }, expecting, nounOf(model));
}
