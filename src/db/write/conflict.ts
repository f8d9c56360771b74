import { ConflictError, NotFoundError } from '../../kernel/errors.ts';

/** Returns the message for the violation of a unique constraint, from its columns. */
export type Taken = (columns: string[]) => string;

/**
 * The error as CONFLICT if it is the violation of a constraint, or as NOT_FOUND if the row to change was deleted: what a
 * change read before its transaction can be gone by then.
 */
export function withConflict(error: unknown, taken: Taken = () => 'The name is already taken.'): unknown {
  const columns = uniqueViolation(error);
  if (columns) return new ConflictError(taken(columns));
  if (isForeignKeyViolation(error)) return new ForeignKeyError();
  const model = missingModel(error);
  return model ? new NotFoundError(model) : error;
}

/** A row refers to one that was deleted, or a deleted row is still referred to. */
export class ForeignKeyError extends ConflictError {
  constructor() {
    super('An object that the change depends on was changed or deleted at the same time. Try again.');
  }
}

function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, meta } = error as PrismaError;
  return code === 'P2003' || (code === 'P2010' && causeOf(meta)?.kind === 'ForeignKeyConstraintViolation');
}

/** What the row that was not found is called: `access token` for the model AccessToken. */
function missingModel(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, meta } = error as PrismaError;
  if (code !== 'P2025') return undefined;
  return (meta?.modelName ?? 'object').replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

interface Cause {
  kind?: string;
  constraint?: { fields?: string[]; index?: string };
}

interface PrismaError {
  code?: string;
  meta?: { target?: unknown; modelName?: string; driverAdapterError?: { cause?: Cause } };
}

const causeOf = (meta: PrismaError['meta']) => meta?.driverAdapterError?.cause;

/** The columns of the unique constraint in a Prisma error. */
function uniqueViolation(error: unknown): string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, meta } = error as PrismaError;
  const cause = causeOf(meta);
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
