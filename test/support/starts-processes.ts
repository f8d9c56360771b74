import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, inject } from 'vitest';

/** Longer than a whole run: a file waits until others have given their cores back. */
const waitMs = 3_600_000;

/**
 * Declares, at the top of a test file, that it starts processes, and how many cores these keep busy. No more of them run at
 * once than the cores of the machine bear, and they begin before other files.
 */
export function startsProcesses(cores = 1): void {
  let lent: Socket;
  beforeAll(async () => {
    lent = connect(inject('coresPort'), '127.0.0.1');
    lent.write(String(cores));
    await once(lent, 'data');
  }, waitMs);
  afterAll(() => void lent.destroy());
}
