import { createServer } from 'node:net';

/** Below the ports that operating systems give to those who ask for any. */
const [first, last] = [10_240, 32_767];

/**
 * A port of 127.0.0.1 for a server that must be told its port. Servers of other tests are not given it, not even while this
 * one is stopped.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * (last - first + 1));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
