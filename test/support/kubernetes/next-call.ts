import { setTimeout as sleep } from 'node:timers/promises';

/** Between two calls of a driver for the same work, as the worker pauses before it checks again. */
export async function beforeNextCall(): Promise<void> {
  // Waits on time: the fake cluster takes its steps by its own clock, and nothing says which of them ends the work.
  await sleep(20);
}
