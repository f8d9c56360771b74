import { UnavailableError } from '../kernel/errors.ts';

/**
 * SQLSTATEs of a Postgres that is down, overloaded, locked, full or read-only, by class or in full.
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const sqlStates =
  /^(08[^P]..|53...|58...|57P0[1-5]|57014|55P03|55006|40001|40P01|25006|26000|25P0[34]|28...|3D000)$/;

const sqliteCodes = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|NOMEM)/;

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
 * What Prisma says of a database that it does not reach, that has no connection or no time for it, and of a
 * transaction that lost against another one.
 *
 * @see https://www.prisma.io/docs/orm/reference/error-reference
 */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/** Failures to which the drivers give no code. */
const messages =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|The database is closed)/;

interface Driven {
  cause?: { originalCode?: string };
}

/** What the driver said, under the wrappings of Prisma. */
function driverCodeOf(error: object): string | undefined {
  const { meta, cause } = error as { meta?: { driverAdapterError?: Driven }; cause?: Driven['cause'] };
  return (meta?.driverAdapterError?.cause ?? cause)?.originalCode;
}

function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { code?: unknown; severity?: string };
  // What a pooler ends a connection with; otherwise a statement that was wrong.
  if (code === '08P01' && severity === 'FATAL') return true;
  for (const each of [code, driverCodeOf(error)]) {
    if (typeof each !== 'string') continue;
    if (socketCodes.has(each) || prismaCodes.has(each)) return true;
    if (sqliteCodes.test(each) || sqlStates.test(each)) return true;
  }
  return messages.test(error.message);
}

/** The error, as UNAVAILABLE if it is the database that cannot take the request now; with what it said as cause. */
export function withUnavailable(error: unknown): unknown {
  if (error instanceof UnavailableError || !isUnavailable(error)) return error;
  return new UnavailableError('The database cannot handle the request at the moment. Try again later.', {
    cause: error,
  });
}
