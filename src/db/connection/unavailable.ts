import { UnavailableError } from '../../kernel/errors.ts';

/**
 * SQLSTATEs, or their classes, of a Postgres that is down, overloaded, locked, full or read-only.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const sqlStates =
  /^(08[^P]..|53...|58...|57P0[1-5]|57014|55P03|55006|40001|40P01|25006|26000|25P0[34]|28...|3D000)$/;

const sqliteCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|NOMEM)/;

/** The codes of a statement that waited too long for a lock. */
const lockTimeouts = /^(55P03$|SQLITE_BUSY)/;

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EMFILE',
  'ENFILE',
  'ENOENT',
]);

/**
 * Prisma's error codes for a database that is unreachable, out of connections or too slow, and for a transaction that
 * failed because of a write conflict or deadlock.
 *
 * @see https://www.prisma.io/docs/orm/reference/error-reference
 */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/** The messages of errors without a code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|The database is closed|The database file was )/;

interface Driven {
  cause?: { originalCode?: string };
}

/** The driver's error code, from within Prisma's errors. */
export function driverCodeOf(error: object): string | undefined {
  const { meta, cause } = error as { meta?: { driverAdapterError?: Driven }; cause?: Driven['cause'] };
  return (meta?.driverAdapterError?.cause ?? cause)?.originalCode;
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { code?: unknown; severity?: string };
  // A pooler ends connections with this code. Without FATAL, it means an invalid statement.
  if (code === '08P01' && severity === 'FATAL') return true;
  for (const each of [code, driverCodeOf(error)]) {
    if (typeof each !== 'string') continue;
    if (socketCodes.has(each) || prismaCodes.has(each)) return true;
    if (sqliteCodes.test(each) || sqlStates.test(each)) return true;
  }
  return messages.test(error.message);
}

/** Converts errors of an unavailable database to UNAVAILABLE, with the original error as the cause. */
export function withUnavailable(error: unknown): unknown {
  if (error instanceof UnavailableError || !isUnavailable(error)) return error;
  const code = driverCodeOf(error as Error) ?? (error as { code?: string }).code ?? '';
  return new UnavailableError('The database cannot handle the request at the moment. Try again later.', {
    cause: error,
    ...(lockTimeouts.test(code) && { limit: 'DATABASE_LOCK_TIMEOUT_MS' }),
  });
}
