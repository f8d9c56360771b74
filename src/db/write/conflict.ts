import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { nounOf } from './noun.ts';

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
    super('Another request changed or deleted an object of this change at the same time. Try again.');
  }
}

/** The codes of Prisma and, for statements that are sent without it, of the drivers. */
const foreignKeyCodes = new Set(['P2003', '23503', 'SQLITE_CONSTRAINT_FOREIGNKEY']);
const uniqueCodes = new Set(['P2002', '23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);

const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Error && foreignKeyCodes.has((error as DatabaseError).code ?? '');

/** The noun for the missing row. */
function missingModel(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, meta } = error as DatabaseError;
  if (code !== 'P2025') return undefined;
  return nounOf(meta?.modelName ?? 'object');
}

interface Cause {
  constraint?: { fields?: string[]; index?: string };
}

interface DatabaseError {
  code?: string;
  /** Of Postgres. */
  detail?: string;
  /** Of Prisma. */
  meta?: { target?: unknown; modelName?: string; driverAdapterError?: { cause?: Cause } };
}

/** From what Postgres or SQLite says: `Key (team_id, name)=(…) already exists.`, `…: team.enterprise_id, team.name`. */
const columnsIn = (text: string): string[] =>
  (/^Key \((.*?)\)=/.exec(text)?.[1] ?? text.replace(/^.*: /, ''))
    .split(', ')
    .map((column) => column.replace(/^.*\./, '').replaceAll('"', ''));

/** The columns of the unique constraint that an error is about. */
function uniqueViolation(error: unknown): string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, detail, meta } = error as DatabaseError;
  if (!uniqueCodes.has(code ?? '')) return undefined;
  if (!meta) return columnsIn(detail ?? error.message);
  const constraint = meta.driverAdapterError?.cause?.constraint;
  const fields = constraint?.fields ?? (Array.isArray(meta.target) ? (meta.target as string[]) : []);
  return [
    ...fields.map((field) => field.replaceAll('"', '')),
    ...(constraint?.index ? [constraint.index] : []),
  ];
}
