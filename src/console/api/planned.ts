import type { Operation, OperationResult } from 'urql';

const isDryRun = ({ kind, variables }: Operation) =>
  kind === 'mutation' && (variables as { input?: { dryRun?: boolean } }).input?.dryRun === true;

const name = 'planned';

/** The result of a dry run without its data. The objects in it are as they would be, and must not get into the cache. */
export const pastCache = (result: OperationResult): OperationResult =>
  isDryRun(result.operation)
    ? { ...result, data: undefined, extensions: { ...result.extensions, [name]: result.data } }
    : result;

/** A result of `pastCache` with its data. Undefined for all others. */
export const plannedIn = (result: OperationResult): OperationResult | undefined =>
  isDryRun(result.operation) ? { ...result, data: result.extensions?.[name] } : undefined;
