import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type Log = Logger;

/** JSON lines on standard output. What could hold a secret is left out wherever it stands. */
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
