import { ConflictError } from '../../kernel/errors.ts';

/** Returns the message for the violation of a unique constraint, from its columns. */
export type Taken = (columns: string[]) => string;

/** The error, as CONFLICT if it is the violation of a unique constraint. */
export function withConflict(error: unknown, taken: Taken = () => 'The name is already taken.'): unknown {
  const columns = uniqueViolation(error);
  return columns ? new ConflictError(taken(columns)) : error;
}

interface Cause {
  kind?: string;
  constraint?: { fields?: string[]; index?: string };
}

/** The columns of the unique constraint in a Prisma error. */
function uniqueViolation(error: unknown): string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, meta } = error as {
    code?: string;
    meta?: { target?: unknown; driverAdapterError?: { cause?: Cause } };
  };
  const cause = meta?.driverAdapterError?.cause;
  // P2010 is the failure of a statement that Prisma did not write.
  const isUnique = code === 'P2002' || (code === 'P2010' && cause?.kind === 'UniqueConstraintViolation');
  if (!isUnique) return undefined;
  const constraint = cause?.constraint;
  const fields = constraint?.fields ?? (Array.isArray(meta?.target) ? (meta.target as string[]) : []);
  return [
    ...fields.map((field) => field.replaceAll('"', '')),
    ...(constraint?.index ? [constraint.index] : []),
  ];
}
