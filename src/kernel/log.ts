import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { withSourceLines } from './source-lines.ts';

export type Log = Logger;

/** A logger that writes JSON lines to standard output and redacts fields that can hold secrets. */
export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: undefined,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: {
        paths: ['authorization', '*.authorization', 'headers.cookie', 'token', '*.token'],
        remove: true,
      },
      serializers: { error: (error) => located(stdSerializers.err(error)) },
    },
    destination ?? pino.destination({ sync: false }),
  );
}

/** Names lines of the sources in the stack traces of a serialized error, and of those in its fields. */
function located<T>(error: T): T {
  const fields = error as Record<string, unknown> | undefined;
  if (typeof fields?.stack !== 'string') return error;
  fields.stack = withSourceLines(fields.stack);
  for (const value of Object.values(fields).flat()) located(value);
  return error;
}

const logged = new WeakSet<object>();

/** Logs an error once. A request can have the same one in thousands of its fields. */
export function warnOnce(
  log: Pick<Log, 'warn'>,
  fields: { error: unknown; [name: string]: unknown },
  message: string,
): void {
  const { error } = fields;
  if (typeof error === 'object' && error !== null) {
    if (logged.has(error)) return;
    logged.add(error);
  }
  log.warn(fields, message);
}
