import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

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
      serializers: { error: stdSerializers.err },
    },
    destination ?? pino.destination({ sync: false }),
  );
}
