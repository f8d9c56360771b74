import type { Context } from '../context.ts';
import { ApiError } from '../kernel/errors.ts';

/** The name of a mutation, or of an operation of the contract. */
interface Named {
  name: string;
  isDryRun?: boolean;
}

/** Makes a change. That the caller may not make it is recorded, after the answer. */
export async function makeChange<T>(context: Context, named: Named, make: () => Promise<T>): Promise<T> {
  context.place = undefined;
  try {
    return await make();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') recordRefused(context, named);
    throw error;
  }
}

/** Has a change recorded that the caller may not make. */
export function recordRefused(
  { refusals, actor, requestId, place }: Context,
  { name, isDryRun = false }: Named,
): void {
  refusals?.add({ actor, requestId, name, isDryRun, place });
}
