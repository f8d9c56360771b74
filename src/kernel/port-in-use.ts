import { once } from 'node:events';
import { createServer } from 'node:net';

/** Adds what to do to the error of a port that is in use. `setting` is the one that has the port. */
export function withPortHint(error: unknown, setting: string): unknown {
  if (error instanceof Error && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    error.message += `. Set ${setting} to another port, or stop the program that uses this one.`;
  }
  return error;
}

/** Throws if a port cannot be listened on, before anything is made that is shown only once. */
export async function requireFreePort(host: string, port: number, setting: string): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw withPortHint(error, setting);
  }
  server.close();
  await once(server, 'close');
}
